import ParleyProtocol
import Store

extension HomeChannel {
  /// Changes what operators may change.
  func update(
    _ fields: ChannelFields, by actor: Actor, then answer: @escaping Answer<ChannelView>
  ) {
    let url = url
    let now = now
    operate(by: actor, then: answer) { transaction in
      var mutations = [
        try transaction.updateChannel(
          url,
          ChannelChanges(
            name: fields.name, coverURL: fields.coverURL, data: fields.data,
            customType: fields.customType), at: now)
      ]
      if let ids = fields.operatorIDs {
        mutations += try transaction.setOperators(url, ids, at: now)
      }
      return mutations
    }
  }

  func freeze(by actor: Actor, then answer: @escaping Answer<ChannelView>) {
    let url = url
    let now = now
    operate(by: actor, then: answer) { [try $0.freezeChannel(url, at: now)] }
  }

  func unfreeze(by actor: Actor, then answer: @escaping Answer<ChannelView>) {
    let url = url
    let now = now
    operate(by: actor, then: answer) { [try $0.unfreezeChannel(url, at: now)] }
  }

  func addOperators(
    _ ids: [String], by actor: Actor, then answer: @escaping Answer<ChannelView>
  ) {
    let url = url
    let now = now
    operate(by: actor, then: answer) { [try $0.addOperators(url, ids, at: now)] }
  }

  func removeOperators(
    _ ids: [String], by actor: Actor, then answer: @escaping Answer<ChannelView>
  ) {
    let url = url
    let now = now
    operate(by: actor, then: answer) { [try $0.removeOperators(url, ids, at: now)] }
  }

  func removeAllOperators(by actor: Actor, then answer: @escaping Answer<ChannelView>) {
    let url = url
    let now = now
    operate(by: actor, then: answer) { [try $0.removeAllOperators(url, at: now)] }
  }

  /// Deletes the channel with all that is in it, after everyone was told.
  func delete(by actor: Actor, then answer: @escaping Answer<Void>) {
    do throws(ServiceError) { try requireOperating(actor) } catch {
      return answer(self, .failure(error))
    }
    let url = url
    let now = now
    write {
      try $0.deleteChannel(url, at: now)
    } then: { channel, result in
      guard case .success(let mutation) = result else {
        answer(channel, result.map { _ in })
        return
      }
      channel.isDeleted = true
      channel.apply([mutation], except: nil)
      answer(channel, .success(()))
      channel.expelAll()
      channel.node.channels.remove(channel)
    }
  }

  /// A page of those in the channel, in the order in which they entered.
  ///
  /// - Throws: 400109 for a token that leads nowhere.
  func participantPage(limit: Int, token: String?) throws(ServiceError) -> ParticipantPage {
    guard let entry = ParticipantPageToken.entry(of: token) else { throw .pageTokenExpired }
    let page = participants.page(after: entry, limit: limit + 1)
    let shown = page.prefix(limit)
    let next = page.count > limit ? ParticipantPageToken.text(after: shown.last) : ""
    return ParticipantPage(users: shown.map(\.user), next: next)
  }

  /// Carries out what only operators may, tells it and answers with the channel.
  private func operate(
    by actor: Actor, then answer: @escaping Answer<ChannelView>,
    _ job: @escaping @Sendable (WriteTransaction) throws -> [ChannelMutation]
  ) {
    do throws(ServiceError) { try requireOperating(actor) } catch {
      return answer(self, .failure(error))
    }
    write(job) { channel, result in
      if case .success(let mutations) = result { channel.apply(mutations, except: nil) }
      answer(channel, result.map { _ in channel.view })
    }
  }

  /// Takes over that operators left because they were deleted, and tells it.
  func operatorsDidChange(_ mutation: ChannelMutation) {
    apply([mutation], except: nil)
  }

  /// Takes over what the store changed, and tells it.
  private func apply(_ mutations: [ChannelMutation], except author: SessionReference?) {
    for mutation in mutations {
      let hasNewType = record.customType != mutation.channel.customType
      record = mutation.channel
      if hasNewType { renewLimits() }
      guard let event = mutation.event else { continue }
      tell(event, except: author)
    }
  }

  /// Tells an event that the store recorded.
  func tell(_ event: RecordedEvent, except author: SessionReference?) {
    lastSeq = record.isEphemeral ? lastSeq + 1 : event.seq
    var event = event
    event.seq = lastSeq
    guard let payload = event.notification(in: self) else { return }
    publish(payload, except: author)
    guard let kind = WebhookEvent(rawValue: event.kind.rawValue) else { return }
    queueWebhook(kind, seq: event.seq, at: event.timestamp, payload)
  }
}

extension WriteTransaction {
  /// Makes exactly these users the operators.
  fileprivate func setOperators(
    _ url: String, _ ids: [String], at now: Int64
  ) throws -> [ChannelMutation] {
    // Those who go first make room for those who come.
    let present = try removeOperators(url, [], at: now)
    let superfluous = present.channel.operators.map(\.id).filter { !ids.contains($0) }
    let reduced = try removeOperators(url, superfluous, at: now)
    return [reduced, try addOperators(url, ids, at: now)]
  }
}

/// Where a page of participants ended.
private enum ParticipantPageToken {
  static func entry(of token: String?) -> Int64? {
    guard let token, !token.isEmpty else { return 0 }
    return Int64(token, radix: 36).flatMap { $0 >= 0 ? $0 : nil }
  }

  static func text(after last: Participants.Participant?) -> String {
    last.map { String($0.entry, radix: 36) } ?? ""
  }
}
