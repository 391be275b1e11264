import LinkPreview
import ParleyProtocol
import Store
import Telemetry

extension HomeChannel {
  /// Changes a message, which its author and operators may.
  func update(
    _ id: Int64, _ changes: MessageChanges, by actor: Actor,
    then answer: @escaping Answer<Message>
  ) {
    do throws(ServiceError) { try requireEditing(actor) } catch {
      return answer(self, .failure(error))
    }
    let right = changeRight(of: actor)
    let preview = changes.text.map(knownPreview(ofText:)) ?? .noLink
    let storeID = storeID
    let now = now
    write { transaction in
      let message = try transaction.requiredMessage(id, channelID: storeID)
      try right.check(message)
      try message.checkLength(of: changes.text)
      try message.checkSize(after: changes)
      let isNewText = changes.text.map { $0 != message.text } ?? false
      let updated = try transaction.updateMessage(
        id, channelID: storeID, changes,
        preview: isNewText ? .replace(preview.tag) : .keep, at: now)
      return TextChange(updated: updated, isNewText: isNewText)
    } then: { channel, result in
      channel.didChange(result.map(\.updated), by: actor, then: answer)
      guard case .success(let change) = result else { return }
      channel.node.counters.add(to: .messagesUpdated)
      if change.isNewText { channel.pursue(preview, of: change.updated.message) }
    }
  }

  /// Deletes a message, which its author and operators may.
  func delete(_ id: Int64, by actor: Actor, then answer: @escaping Answer<Void>) {
    do throws(ServiceError) { try requireKeptMessages() } catch {
      return answer(self, .failure(error))
    }
    let right = changeRight(of: actor)
    let storeID = storeID
    let now = now
    write { transaction in
      let message = try transaction.requiredMessage(id, channelID: storeID)
      try right.check(message)
      return try transaction.deleteMessage(id, channelID: storeID, at: now)
    } then: { channel, result in
      answer(channel, result.map { _ in })
      guard case .success(let seq) = result else { return }
      channel.lastSeq = seq
      channel.withheld.forget(id)
      channel.node.counters.add(to: .messagesDeleted)
      channel.publish(
        EventEncoder.messageDeleted(channel.origin(at: now), seq: seq, messageID: id))
    }
  }

  /// Changes a message's extra data, which any participant may.
  func changeMetaArrays(
    of messageID: Int64, by actor: Actor,
    _ change: @escaping @Sendable ([MetaArray]) throws(ServiceError) -> [MetaArray],
    then answer: @escaping Answer<Message>
  ) {
    do throws(ServiceError) { try requireCounting(actor) } catch {
      return answer(self, .failure(error))
    }
    let storeID = storeID
    let now = now
    write { transaction in
      let message = try transaction.requiredMessage(messageID, channelID: storeID)
      let arrays = try change(message.metaArrays)
      guard arrays != message.metaArrays else { return MetaArrayChange.none(message) }
      try message.checkSize(with: arrays)
      return .made(
        try transaction.changeMetaArrays(messageID, channelID: storeID, at: now) { $0 = arrays })
    } then: { channel, result in
      switch result {
      case .success(.none(let message)): answer(channel, .success(message))
      case .success(.made(let changed)):
        channel.didChange(.success(changed), by: actor, then: answer)
      case .failure(let error): answer(channel, .failure(error))
      }
    }
  }

  /// Reads one message.
  func message(_ id: Int64, then answer: @escaping Answer<Message>) {
    do throws(ServiceError) { try requireKeptMessages() } catch {
      return answer(self, .failure(error))
    }
    let storeID = storeID
    read({ try $0.requiredMessage(id, channelID: storeID) }, then: answer)
  }

  /// Reads a stretch of messages, and encodes them on the store's thread.
  func messages(
    _ command: MessageList, from authors: MessageQuery.OperatorFilter = .all,
    _ encode: @escaping @Sendable (ReadTransaction, [Message]) throws -> [UInt8],
    then answer: @escaping Answer<[UInt8]>
  ) {
    do throws(ServiceError) { try requireKeptMessages() } catch {
      return answer(self, .failure(error))
    }
    var query = MessageQuery(command, channelID: storeID)
    query.operatorFilter = authors
    read({ [query] in try encode($0, $0.listMessages(query)) }, then: answer)
  }

  private func didChange(
    _ result: Result<SequencedMessage, ServiceError>, by actor: Actor,
    then answer: @escaping Answer<Message>
  ) {
    answer(self, result.map(\.message))
    guard case .success(let changed) = result else { return }
    tellUpdate(of: changed, except: actor.session)
  }

  /// Tells that a message changed, except to those from whom it was withheld.
  func tellUpdate(of changed: SequencedMessage, except author: SessionReference?) {
    lastSeq = changed.seq
    let now = now
    let payload = EventEncoder.messageUpdated(
      origin(at: now), seq: changed.seq, message: changed.message.encoded())
    queueWebhook(.messageUpdated, seq: changed.seq, at: now, payload)
    publish(
      ChannelEvent(
        payload: payload, audience: .recipients(ofMessage: changed.message.id), author: author))
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

extension StoreTransaction {
  fileprivate func requiredMessage(_ id: Int64, channelID: Int64) throws -> Message {
    guard let found = try message(id, channelID: channelID) else {
      throw ServiceError.notFound(messageID: id)
    }
    return found.message
  }
}

extension Message {
  /// Admin messages are shorter than users'.
  fileprivate func checkLength(of text: String?) throws(ServiceError) {
    guard type == .admin, let text else { return }
    guard text.unicodeScalars.count <= Limits.adminMessageLength else {
      throw .tooLong("message", limit: Limits.adminMessageLength)
    }
  }
}

extension Message {
  /// - Throws: 400110 when the message would not fit into an event after a change.
  fileprivate func checkSize(after changes: MessageChanges) throws(ServiceError) {
    var changed = self
    if let text = changes.text { changed.text = text }
    if let data = changes.data { changed.data = data }
    if let customType = changes.customType { changed.customType = customType }
    try MessageSize(changed).check(after: MessageSize(self))
  }

  fileprivate func checkSize(with arrays: [MetaArray]) throws(ServiceError) {
    var changed = self
    changed.metaArrays = arrays
    try MessageSize(changed).check(after: MessageSize(self))
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
