import Channels
import LinkPreview
import ParleyProtocol
import Store
import Telemetry

extension HomeChannel {
  /// Changes a message, which its author and operators may.
  func update(
    _ id: Int64, _ changes: MessageChanges, by actor: Principal,
    then answer: @escaping Answer<ChangedMessage>
  ) {
    let place: FloodPlace?
    do throws(ServiceError) {
      try requireEditing(actor)
      place = try takeChange(actor, bytes: changes.byteCount)
    } catch {
      return answer(self, .failure(error))
    }
    let right = changeRight(of: actor)
    let (previews, requester) = (services.previews, actor.previewRequester)
    let storeID = storeID
    let now = now
    write { transaction in
      let message = try transaction.requiredMessage(id, channelID: storeID)
      try right.check(message)
      try message.checkLength(of: changes.text)
      try message.checkSize(after: changes)
      // Links are looked for in new texts of callers who may write them.
      var preview = KnownPreview.noLink
      let newText = changes.text.flatMap { $0 == message.text ? nil : $0 }
      if let newText { preview = previews?.known(ofText: newText, for: requester) ?? .noLink }
      let updated = try transaction.updateMessage(
        id, channelID: storeID, changes,
        preview: newText == nil ? .keep : .replace(preview.tag), at: now)
      return TextChange(updated: updated, newPreview: newText == nil ? nil : preview)
    } then: { channel, result in
      channel.didChange(result.map(\.updated), by: actor, place, at: now, then: answer)
      guard case .success(let change) = result else { return }
      channel.node.counters.add(to: .messagesUpdated)
      if let preview = change.newPreview { channel.pursue(preview, of: change.updated.message) }
    }
  }

  /// Deletes a message, which its author and operators may.
  ///
  /// Whoever may not write may still take back; no window holds deletions up, for moderators need
  /// them in numbers and each message has only one.
  func delete(_ id: Int64, by actor: Principal, then answer: @escaping Answer<Void>) {
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
      channel.node.counters.add(to: .messagesDeleted)
      let payload = EventEncoder.messageDeleted(
        channel.origin(at: now), seq: seq, messageID: id)
      channel.publish(
        ChannelEvent(
          payload: payload, subject: .deletion(ofMessage: id), seq: seq, timestamp: now,
          author: nil))
    }
  }

  /// Changes the keys of a message's extra data, which its author and operators may.
  func changeMetaArrayKeys(
    of messageID: Int64, by actor: Principal, _ change: @escaping MetaArrayChange,
    then answer: @escaping Answer<ChangedMessage>
  ) {
    do throws(ServiceError) { try requireEditing(actor) } catch {
      return answer(self, .failure(error))
    }
    let right = changeRight(of: actor)
    changeMetaArrays(of: messageID, by: actor, then: answer) { message throws(ServiceError) in
      try right.check(message)
      return try change(message.metaArrays)
    }
  }

  /// Changes the values of a message's extra data, which any participant may who may send.
  ///
  /// Keys come into being on the way for those only who may create them.
  func changeMetaArrayValues(
    of messageID: Int64, by actor: Principal, _ change: @escaping MetaArrayChange,
    then answer: @escaping Answer<ChangedMessage>
  ) {
    do throws(ServiceError) { try requireCounting(actor) } catch {
      return answer(self, .failure(error))
    }
    let right = changeRight(of: actor)
    changeMetaArrays(of: messageID, by: actor, then: answer) { message throws(ServiceError) in
      let known = message.metaArrays
      let arrays = try change(known)
      if arrays.count > known.count, !right.covers(message) {
        let new = arrays.first { array in !known.contains { $0.key == array.key } }
        throw .unknownMetaArrayKey(new?.key ?? "")
      }
      return arrays
    }
  }

  private func changeMetaArrays(
    of messageID: Int64, by actor: Principal, then answer: @escaping Answer<ChangedMessage>,
    _ change: @escaping @Sendable (Message) throws(ServiceError) -> [MetaArray]
  ) {
    let place: FloodPlace?
    do throws(ServiceError) { place = try takeChange(actor) } catch {
      return answer(self, .failure(error))
    }
    let storeID = storeID
    let now = now
    write { transaction in
      let message = try transaction.requiredMessage(messageID, channelID: storeID)
      let arrays = try change(message)
      guard arrays != message.metaArrays else { return MetaArrayOutcome.none(message) }
      try message.checkSize(with: arrays)
      return .made(
        try transaction.changeMetaArrays(messageID, channelID: storeID, at: now) { $0 = arrays })
    } then: { channel, result in
      switch result {
      case .success(.none(let message)):
        channel.giveBack(place)
        answer(channel, .success(ChangedMessage(message)))
      case .success(.made(let changed)):
        channel.didChange(.success(changed), by: actor, place, at: now, then: answer)
      case .failure(let error):
        channel.didChange(.failure(error), by: actor, place, at: now, then: answer)
      }
    }
  }

  /// Reads one message.
  func message(_ id: Int64, then answer: @escaping Answer<Message>) {
    do throws(ServiceError) { try requireKeptMessages() } catch {
      return answer(self, .failure(error))
    }
    let storeID = storeID
    lookUp({ try $0.requiredMessage(id, channelID: storeID) }, then: answer)
  }

  /// Reads a stretch of messages, and encodes each of them on the store's thread as it is read.
  func messages(
    _ command: MessageList, from authors: MessageQuery.OperatorFilter = .all,
    for caller: QueryCaller,
    _ encode: @escaping @Sendable (ReadTransaction, Message) throws -> [UInt8],
    then answer: @escaping Answer<[UInt8]>
  ) {
    do throws(ServiceError) { try requireKeptMessages() } catch {
      return answer(self, .failure(error))
    }
    var query = MessageQuery(command, channelID: storeID)
    query.operatorFilter = authors
    self.query(for: caller) { [query] transaction in
      try transaction.listMessages(query) { PageItem(json: try encode(transaction, $0)) }.encoded()
    } then: { channel, result in
      answer(channel, result)
    }
  }

  private func didChange(
    _ result: Result<SequencedMessage, ServiceError>, by actor: Principal, _ place: FloodPlace?,
    at timestamp: Int64, then answer: @escaping Answer<ChangedMessage>
  ) {
    switch result {
    case .failure(let error):
      giveBack(place)
      answer(self, .failure(error))
    case .success(let changed):
      let message = ChangedMessage(changed.message)
      settle(place, bytes: message.encoded.count)
      answer(self, .success(message))
      publishUpdate(
        MessageUpdate(
          messageID: message.message.id, seq: changed.seq, timestamp: timestamp,
          encoded: message.encoded, author: actor.session))
    }
  }
}

/// A change of extra data: the arrays as they were in, as they are to be out.
typealias MetaArrayChange = @Sendable ([MetaArray]) throws(ServiceError) -> [MetaArray]

private enum MetaArrayOutcome: Sendable {
  /// The arrays were so already: nothing is stored or published.
  case none(Message)
  case made(SequencedMessage)
}

private struct TextChange: Sendable {
  let updated: SequencedMessage
  /// The preview of a new text; `nil` when the text stays.
  let newPreview: KnownPreview?
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
