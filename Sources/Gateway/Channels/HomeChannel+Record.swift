import Channels
import ParleyProtocol
import Store

extension HomeChannel {
  /// Changes what operators may change.
  func update(
    _ fields: ChannelFields, by actor: Principal, then answer: @escaping Answer<ChannelView>
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

  func freeze(by actor: Principal, then answer: @escaping Answer<ChannelView>) {
    let url = url
    let now = now
    operate(by: actor, then: answer) { [try $0.freezeChannel(url, at: now)] }
  }

  func unfreeze(by actor: Principal, then answer: @escaping Answer<ChannelView>) {
    let url = url
    let now = now
    operate(by: actor, then: answer) { [try $0.unfreezeChannel(url, at: now)] }
  }

  func addOperators(
    _ ids: [String], by actor: Principal, then answer: @escaping Answer<ChannelView>
  ) {
    let url = url
    let now = now
    let field = actor.operatorsField
    operate(by: actor, then: answer) {
      let mutation = try $0.addOperators(url, ids, at: now)
      if mutation.event != nil { try mutation.channel.checkOperatorCount(field) }
      return [mutation]
    }
  }

  func removeOperators(
    _ ids: [String], by actor: Principal, then answer: @escaping Answer<ChannelView>
  ) {
    let url = url
    let now = now
    operate(by: actor, then: answer) { [try $0.removeOperators(url, ids, at: now)] }
  }

  func removeAllOperators(by actor: Principal, then answer: @escaping Answer<ChannelView>) {
    let url = url
    let now = now
    operate(by: actor, then: answer) { [try $0.removeAllOperators(url, at: now)] }
  }

  /// Deletes the channel with all that is in it, after everyone was told.
  func delete(by actor: Principal, then answer: @escaping Answer<Void>) {
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
      channel.record = mutation.channel
      if let event = mutation.event { channel.tell(event, .end) }
      answer(channel, .success(()))
      channel.node.channels.remove(channel)
    }
  }

  /// A page of those in the channel, in the order in which they entered; it ends before it would
  /// take more than an answer holds.
  ///
  /// - Throws: 400109 for a token that leads nowhere.
  func participantPage(limit: Int, token: String?) throws(ServiceError) -> ParticipantPage {
    let entry = try ParticipantPageToken.entry(of: token, channelURL: url)
    let page = stage.participants(after: entry, limit: limit + 1)
    var room = PageRoom.answer
    let shown = page.prefix(limit).prefix { room.admit(byteCount: $0.user.referenceByteCount) }
    let next =
      page.count > shown.count ? ParticipantPageToken.text(after: shown.last, channelURL: url) : ""
    return ParticipantPage(users: shown.map(\.user), next: next)
  }

  /// Carries out what only operators may, tells it and answers with the channel.
  private func operate(
    by actor: Principal, then answer: @escaping Answer<ChannelView>,
    _ job: @escaping @Sendable (WriteTransaction) throws -> [ChannelMutation]
  ) {
    let place: FloodPlace?
    do throws(ServiceError) {
      try requireOperating(actor)
      place = try takeChange(actor)
    } catch {
      return answer(self, .failure(error))
    }
    write(job) { channel, result in
      switch result {
      case .success(let mutations):
        if mutations.allSatisfy({ $0.event == nil }) { channel.giveBack(place) }
        channel.settle(place, bytes: channel.apply(mutations))
      case .failure: channel.giveBack(place)
      }
      answer(channel, result.map { _ in channel.view })
    }
  }

  /// Takes over that operators left because they were deleted, and tells it.
  func operatorsDidChange(_ mutation: ChannelMutation) {
    apply([mutation])
  }

  /// Takes over what the store changed, and publishes it.
  ///
  /// - Returns: The size of the events.
  @discardableResult
  private func apply(_ mutations: [ChannelMutation]) -> Int {
    var byteCount = 0
    for mutation in mutations {
      let hasNewType = record.customType != mutation.channel.customType
      record = mutation.channel
      if hasNewType { renewLimits() }
      if let event = mutation.event {
        byteCount += tell(event, .record(record))
      } else {
        stage.handle(.record(record))
      }
    }
    return byteCount
  }

  /// Publishes an event that the store recorded.
  ///
  /// - Returns: Its size.
  @discardableResult
  func tell(_ event: RecordedEvent, _ subject: ChannelEvent.Subject) -> Int {
    var event = event
    if record.isEphemeral { event.seq = lastSeq + 1 }
    guard let payload = event.notification(in: view) else {
      lastSeq = event.seq
      return 0
    }
    publish(
      ChannelEvent(
        payload: payload, subject: subject, seq: event.seq, timestamp: event.timestamp,
        author: nil))
    guard let kind = WebhookEvent(rawValue: event.kind.rawValue) else {
      return payload.count
    }
    queueWebhook(kind, seq: event.seq, at: event.timestamp, payload)
    return payload.count
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

extension Principal {
  /// The parameter that names operators to be added.
  fileprivate var operatorsField: String {
    switch self {
    case .session: "user_ids"
    case .platform: "operator_ids"
    }
  }
}

extension Channel {
  /// - Throws: 400203 when the channel has more operators than one may have.
  func checkOperatorCount(_ field: String) throws(ServiceError) {
    guard operators.count <= Limits.operatorCount else {
      throw .tooMany(field, limit: Limits.operatorCount)
    }
  }
}

/// The token of a page of participants: the entry that it ended with.
private enum ParticipantPageToken {
  /// - Throws: 400109 for a token that is not one of this channel's.
  static func entry(of token: String?, channelURL: String) throws(ServiceError) -> Int64 {
    guard let token, !token.isEmpty else { return 0 }
    guard let position = PageToken.decode(token, query: query(channelURL)),
      position.count == 8
    else { throw .pageTokenExpired }
    let entry = position.reduce(Int64(0)) { $0 << 8 | Int64($1) }
    guard entry >= 0 else { throw .pageTokenExpired }
    return entry
  }

  static func text(after last: Participant?, channelURL: String) -> String {
    guard let last else { return "" }
    let position = withUnsafeBytes(of: last.entry.bigEndian, Array.init)
    return PageToken.encode(position, query: query(channelURL))
  }

  private static func query(_ channelURL: String) -> [String] { ["participants", channelURL] }
}
