import LinkPreview
import ParleyProtocol
import Store
import Telemetry

extension HomeChannel {
  /// Changes a message, which its author and operators may.
  func update(_ command: MessageUpdate, by caller: Caller, replyTo address: ReplyAddress) {
    let id = command.reference.messageID
    guard mayEdit(caller, replyTo: address) else { return }
    let right = ChangeRight(caller.user.id, isOperator: isOperator(caller.user.id))
    let changes = command.changes
    let preview = changes.text.map(knownPreview(ofText:)) ?? .noLink
    let storeID = storeID
    let now = now
    write { transaction in
      let message = try transaction.requiredMessage(id, channelID: storeID)
      try right.check(message)
      let isNewText = changes.text.map { $0 != message.text } ?? false
      let updated = try transaction.updateMessage(
        id, channelID: storeID, changes,
        preview: isNewText ? .replace(preview.tag) : .keep, at: now)
      return TextChange(updated: updated, isNewText: isNewText)
    } then: { channel, result in
      channel.didChange(result.map(\.updated), by: caller, replyTo: address)
      guard case .success(let change) = result else { return }
      channel.node.counters.add(to: .messagesUpdated)
      if change.isNewText { channel.pursue(preview, of: change.updated.message) }
    }
  }

  /// Deletes a message, which its author and operators may.
  func delete(_ command: MessageReference, by caller: Caller, replyTo address: ReplyAddress) {
    guard keepsMessages(replyTo: address) else { return }
    let right = ChangeRight(caller.user.id, isOperator: isOperator(caller.user.id))
    let storeID = storeID
    let now = now
    write { transaction in
      let message = try transaction.requiredMessage(command.messageID, channelID: storeID)
      try right.check(message)
      return try transaction.deleteMessage(command.messageID, channelID: storeID, at: now)
    } then: { channel, result in
      channel.reply(result.flatMap { _ in .empty }, to: address)
      guard case .success(let seq) = result else { return }
      channel.lastSeq = seq
      channel.withheld.forget(command.messageID)
      channel.node.counters.add(to: .messagesDeleted)
      channel.publish(
        EventEncoder.messageDeleted(
          channel.origin(at: now), seq: seq, messageID: command.messageID))
    }
  }

  /// Changes a message's extra data, which any participant may.
  func changeMetaArrays(
    of messageID: Int64, by caller: Caller, replyTo address: ReplyAddress,
    _ change: @escaping @Sendable ([MetaArray]) throws(ServiceError) -> [MetaArray]
  ) {
    guard mayCount(caller, replyTo: address) else { return }
    let storeID = storeID
    let now = now
    write { transaction in
      let message = try transaction.requiredMessage(messageID, channelID: storeID)
      let arrays = try change(message.metaArrays)
      guard arrays != message.metaArrays else { return MetaArrayChange.none(message) }
      return .made(
        try transaction.changeMetaArrays(messageID, channelID: storeID, at: now) { $0 = arrays })
    } then: { channel, result in
      switch result {
      case .success(.none(let message)):
        channel.reply(.success(message.encodedAsResult()), to: address)
      case .success(.made(let changed)):
        channel.didChange(.success(changed), by: caller, replyTo: address)
      case .failure(let error): channel.reply(.failure(error), to: address)
      }
    }
  }

  /// Answers with one message.
  func get(_ command: MessageReference, replyTo address: ReplyAddress) {
    guard keepsMessages(replyTo: address) else { return }
    let storeID = storeID
    read {
      try $0.requiredMessage(command.messageID, channelID: storeID).encodedAsResult()
    } then: { channel, result in
      channel.reply(result, to: address)
    }
  }

  /// Answers with a stretch of messages.
  func list(_ command: MessageList, replyTo address: ReplyAddress) {
    guard keepsMessages(replyTo: address) else { return }
    let query = MessageQuery(command, channelID: storeID)
    read {
      let messages = try $0.listMessages(query)
      return JSONWriter.bytes(reserving: messages.count * 512 + 64) { writer in
        writer.object {
          $0.member("messages", array: { for message in messages { message.encode(into: &$0) } })
        }
      }
    } then: { channel, result in
      channel.reply(result, to: address)
    }
  }

  private func didChange(
    _ result: Result<SequencedMessage, ServiceError>, by caller: Caller,
    replyTo address: ReplyAddress
  ) {
    reply(result.map { $0.message.encodedAsResult() }, to: address)
    guard case .success(let changed) = result else { return }
    tellUpdate(of: changed, except: caller.session)
  }

  /// Tells that a message changed, except to those from whom it was withheld.
  func tellUpdate(of changed: SequencedMessage, except author: SessionReference?) {
    lastSeq = changed.seq
    let payload = EventEncoder.messageUpdated(
      origin(at: now), seq: changed.seq, message: changed.message.encoded())
    publish(
      ChannelEvent(
        payload: payload, audience: .recipients(ofMessage: changed.message.id), author: author))
  }

  /// Who may not send may not say it by way of an edit either; answers when that is so.
  private func mayEdit(_ caller: Caller, replyTo address: ReplyAddress) -> Bool {
    guard keepsMessages(replyTo: address) else { return false }
    let userID = caller.user.id
    let refusal: ServiceError? =
      isRestricted(userID, by: bans)
      ? .banned(url)
      : record.isFrozen && !isOperator(userID)
        ? .frozen(url) : isRestricted(userID, by: mutes) ? .muted(url) : nil
    if let refusal { reply(.failure(refusal), to: address) }
    return refusal == nil
  }

  /// Polls and counters are any participant's; answers when someone is none.
  private func mayCount(_ caller: Caller, replyTo address: ReplyAddress) -> Bool {
    guard keepsMessages(replyTo: address) else { return false }
    guard participants.contains(caller.user.id) else {
      reply(.failure(.notAllowed("only participants may do this: enter the channel")), to: address)
      return false
    }
    return true
  }

  private func keepsMessages(replyTo address: ReplyAddress) -> Bool {
    guard record.isEphemeral else { return true }
    reply(.failure(.notKept(inEphemeralChannel: url)), to: address)
    return false
  }
}

private enum MetaArrayChange: Sendable {
  /// It was so already: there is nothing to tell.
  case none(Message)
  case made(SequencedMessage)
}

private struct TextChange: Sendable {
  let updated: SequencedMessage
  let isNewText: Bool
}

/// What a user may change of others' messages.
private struct ChangeRight: Sendable {
  let userID: String
  let isOperator: Bool

  init(_ userID: String, isOperator: Bool) {
    self.userID = userID
    self.isOperator = isOperator
  }

  func check(_ message: Message) throws(ServiceError) {
    guard isOperator || message.user?.id == userID else {
      throw .notAllowed("only its author and operators may change a message")
    }
  }
}

extension StoreTransaction {
  fileprivate func requiredMessage(_ id: Int64, channelID: Int64) throws -> Message {
    guard let found = try message(id, channelID: channelID) else {
      throw ServiceError.notFound(messageID: id)
    }
    return found.message
  }
}

extension Message {
  /// The result of a call: `{"message": …}`.
  fileprivate func encodedAsResult() -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.name("message")
        encode(into: &$0)
      }
    }
  }
}

extension MessageQuery {
  fileprivate init(_ command: MessageList, channelID: Int64) {
    let anchor: Anchor =
      switch command.anchor {
      case .message(let id): .message(id)
      case .time(let time): .time(time)
      // Not the clock's time: messages of this very millisecond would come on top of the limit, and
      // those that carry a later one, the clock having been set back, would be missed.
      case .now: .time(Limits.timestamps.upperBound)
      }
    self.init(
      channelID: channelID, anchor: anchor, previousLimit: command.previousLimit,
      nextLimit: command.nextLimit, center: command.includesAnchor ? .included : .excluded,
      order: command.isReversed ? .newestFirst : .oldestFirst,
      messageType: command.filter.type, customTypes: command.filter.customTypes ?? [],
      senderIDs: command.filter.senderIDs ?? [])
  }
}
