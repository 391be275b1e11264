import ParleyProtocol
import Store

extension HomeChannel {
  /// Answers with the channel as it is.
  func get(replyTo address: ReplyAddress) {
    reply(.success(encodedAsResult()), to: address)
  }

  /// Changes what operators may change.
  func update(_ command: ChannelUpdate, by caller: Caller, replyTo address: ReplyAddress) {
    let url = url
    let now = now
    let fields = command.fields
    operate(by: caller, replyTo: address) { transaction in
      var mutations = [
        try transaction.updateChannel(
          url,
          ChannelChanges(
            name: fields.name, coverURL: fields.coverURL, data: fields.data,
            customType: fields.customType), at: now)
      ]
      if let ids = fields.operatorIDs {
        mutations.append(try transaction.setOperators(url, ids, at: now))
      }
      return mutations
    }
  }

  func freeze(by caller: Caller, replyTo address: ReplyAddress) {
    let url = url
    let now = now
    operate(by: caller, replyTo: address) { [try $0.freezeChannel(url, at: now)] }
  }

  func unfreeze(by caller: Caller, replyTo address: ReplyAddress) {
    let url = url
    let now = now
    operate(by: caller, replyTo: address) { [try $0.unfreezeChannel(url, at: now)] }
  }

  func addOperators(_ ids: [String], by caller: Caller, replyTo address: ReplyAddress) {
    let url = url
    let now = now
    operate(by: caller, replyTo: address) { [try $0.addOperators(url, ids, at: now)] }
  }

  func removeOperators(_ ids: [String], by caller: Caller, replyTo address: ReplyAddress) {
    let url = url
    let now = now
    operate(by: caller, replyTo: address) { [try $0.removeOperators(url, ids, at: now)] }
  }

  /// Deletes the channel with all that is in it, after everyone was told.
  func delete(by caller: Caller, replyTo address: ReplyAddress) {
    guard mayOperate(caller, replyTo: address) else { return }
    let url = url
    let now = now
    write {
      try $0.deleteChannel(url, at: now)
    } then: { channel, result in
      guard case .success(let mutation) = result else {
        channel.reply(result.flatMap { _ in .empty }, to: address)
        return
      }
      channel.isDeleted = true
      channel.apply([mutation], except: nil)
      channel.reply(.empty, to: address)
      channel.expelAll()
      channel.node.channels.remove(channel)
    }
  }

  /// Answers with a page of those in the channel, in the order in which they entered.
  func listParticipants(_ command: ChannelParticipants, replyTo address: ReplyAddress) {
    guard let entry = ParticipantPageToken.entry(of: command.token) else {
      reply(.failure(.pageTokenExpired), to: address)
      return
    }
    let page = participants.page(after: entry, limit: command.limit + 1)
    let shown = page.prefix(command.limit)
    let next = page.count > command.limit ? ParticipantPageToken.text(after: shown.last) : ""
    let result = JSONWriter.bytes {
      $0.object {
        $0.name("participants")
        shown.map(\.user).encode(into: &$0)
        $0.member("next", next)
      }
    }
    reply(.success(result), to: address)
  }

  /// Carries out what only operators may, tells it and answers with the channel.
  private func operate(
    by caller: Caller, replyTo address: ReplyAddress,
    _ job: @escaping @Sendable (WriteTransaction) throws -> [ChannelMutation]
  ) {
    guard mayOperate(caller, replyTo: address) else { return }
    write(job) { channel, result in
      switch result {
      case .success(let mutations):
        channel.apply(mutations, except: nil)
        channel.reply(.success(channel.encodedAsResult()), to: address)
      case .failure(let error):
        channel.reply(.failure(error), to: address)
      }
    }
  }

  /// Whether someone may do what operators do; answers when not.
  func mayOperate(_ caller: Caller, replyTo address: ReplyAddress) -> Bool {
    guard !isDeleted else {
      reply(.failure(.notFound(.channel, url)), to: address)
      return false
    }
    guard isOperator(caller.user.id) else {
      reply(.failure(.notAllowed("only operators of the channel may do this")), to: address)
      return false
    }
    return true
  }

  /// Takes over what the store changed, and tells it.
  private func apply(_ mutations: [ChannelMutation], except author: SessionReference?) {
    for mutation in mutations {
      record = mutation.channel
      guard let event = mutation.event else { continue }
      tell(event, except: author)
    }
  }

  /// Tells an event that the store recorded.
  func tell(_ event: RecordedEvent, except author: SessionReference?) {
    lastSeq = record.isEphemeral ? lastSeq + 1 : event.seq
    var event = event
    event.seq = lastSeq
    if let payload = event.notification(in: self) { publish(payload, except: author) }
  }

  private func encodedAsResult() -> [UInt8] {
    record.encodedAsResult(participantCount: participants.count)
  }
}

extension WriteTransaction {
  /// Makes exactly these users the operators.
  fileprivate func setOperators(
    _ url: String, _ ids: [String], at now: Int64
  ) throws -> ChannelMutation {
    let present = try addOperators(url, ids, at: now)
    let superfluous = present.channel.operators.map(\.id).filter { !ids.contains($0) }
    guard !superfluous.isEmpty else { return present }
    return try removeOperators(url, superfluous, at: now)
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
