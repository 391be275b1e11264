import Configuration
import FloodControl
import LinkPreview
import ParleyProtocol
import Reactor
import Store
import Telemetry
import Unfurler

/// Names a send that a client may repeat.
struct RequestKey: Hashable, Sendable {
  let userID: String
  let requestID: String
}

/// Who asks for something.
struct Caller: Sendable {
  let user: User
  let session: SessionReference
}

/// A message that was accepted and has no place in the channel's count yet.
struct AcceptedMessage: Sendable {
  var message: Message
  var mentionedUserIDs: [String]
  /// What was known of its link's preview.
  let preview: KnownPreview
  let author: SessionReference
  let address: ReplyAddress
  /// When it took its place in the flood window; Unix milliseconds.
  let admittedAt: Int64
  /// Nanoseconds of the monotonic clock when it was accepted.
  let acceptedAt: Int64
}

extension HomeChannel {
  /// Judges a message and, when nothing speaks against it, has it stored and told.
  func send(_ command: MessageSend, from caller: Caller, replyTo address: ReplyAddress) {
    let key = command.requestID.map { RequestKey(userID: caller.user.id, requestID: $0) }
    if let key, repeatedSends[key] != nil {
      repeatedSends[key]?.append(address)
      return
    }
    if let key, record.isEphemeral, let first = ephemeralSends.result(of: key, now: node.loop.now) {
      node.counters.add(to: .messagesRepeated)
      reply(.success(first), to: address)
      return
    }
    do throws(ServiceError) {
      let now = services.clock.now
      let draft = try judge(command, from: caller, at: now)
      if let key { repeatedSends[key] = [] }
      accept(
        draft, requestID: command.requestID ?? "", from: caller, at: now, replyTo: address)
    } catch {
      refuse(error, key, replyTo: address)
    }
  }

  private func judge(
    _ command: MessageSend, from caller: Caller, at now: Int64
  ) throws(ServiceError) -> MessageDraft {
    let userID = caller.user.id
    guard !isDeleted else { throw .notFound(.channel, url) }
    guard !isRestricted(userID, by: bans) else { throw .banned(url) }
    guard participants.contains(userID) else { throw .notInChannel(url) }
    let isOperator = isOperator(userID)
    guard !record.isFrozen || isOperator else { throw .frozen(url) }
    guard !isRestricted(userID, by: mutes) else { throw .muted(url) }
    let draft = try command.draft.get()
    if isOperator && services.settings.limits.flood.exemptsOperators { return draft }
    let wait = floodGate.admit(userID, at: now, limit: floodLimit)
    guard let wait else { return draft }
    throw .flood(
      retryAfter: wait, limit: floodLimit.count, window: floodLimit.windowMilliseconds)
  }

  func isRestricted(_ userID: String, by restrictions: [String: Restriction]) -> Bool {
    restrictions[userID].map { $0.endsAt > services.clock.now } ?? false
  }

  /// A refusal stands unless the very send was accepted before.
  private func refuse(_ error: ServiceError, _ key: RequestKey?, replyTo address: ReplyAddress) {
    guard let key, !record.isEphemeral, !isDeleted else {
      count(error)
      reply(.failure(error), to: address)
      return
    }
    let id = storeID
    let since = services.clock.now - requestIDLifetimeMilliseconds
    read {
      try $0.findByRequestID(
        channelID: id, userID: key.userID, requestID: key.requestID, since: since)
    } then: { channel, result in
      switch result {
      case .success(let found?):
        channel.node.counters.add(to: .messagesRepeated)
        channel.reply(.success(found.message.sendResult(seq: found.seq)), to: address)
      case .failure(let missing) where missing.code == .notFound:
        channel.reply(.failure(missing), to: address)
      case .success(nil), .failure:
        channel.count(error)
        channel.reply(.failure(error), to: address)
      }
    }
  }

  private func accept(
    _ draft: MessageDraft, requestID: String, from caller: Caller, at now: Int64,
    replyTo address: ReplyAddress
  ) {
    let createdAt = max(now, lastCreatedAt)
    lastCreatedAt = createdAt
    let preview = knownPreview(ofText: draft.text)
    let message = Message(
      id: services.messageIDs.next(at: createdAt), channelURL: url, user: caller.user,
      text: draft.text, data: draft.data, customType: draft.customType,
      mentionType: draft.mentionType, metaArrays: draft.metaArrays, openGraphTag: preview.tag,
      requestID: requestID, createdAt: createdAt)
    let accepted = AcceptedMessage(
      message: message, mentionedUserIDs: draft.mentionedUserIDs, preview: preview,
      author: caller.session, address: address, admittedAt: now,
      acceptedAt: SystemClock.monotonicNanoseconds)
    if record.isEphemeral { tell(accepted) } else { store(accepted) }
  }

  private func store(_ accepted: AcceptedMessage) {
    append(NewMessage(accepted, channelID: storeID)) { channel, result in
      channel.didStore(accepted, result)
    }
  }

  private func didStore(
    _ accepted: AcceptedMessage, _ result: Result<AppendOutcome, ServiceError>
  ) {
    switch result {
    case .success(.stored(let seq, let mentionedUsers)):
      var message = accepted.message
      message.mentionedUsers = mentionedUsers
      didAccept(message, accepted, seq: seq)
    case .success(.repeated(let message, let seq)):
      // The send was accepted before: it takes no place in the window a second time.
      retract(accepted)
      node.counters.add(to: .messagesRepeated)
      finish(accepted, .success(message.sendResult(seq: seq)))
    case .failure(let error):
      retract(accepted)
      node.counters.add(to: .messagesFailed)
      finish(accepted, .failure(error))
    }
  }

  /// An ephemeral channel's message passes through the store's queue, to keep its place behind
  /// those before it, but nothing is stored.
  private func tell(_ accepted: AcceptedMessage) {
    let ids = accepted.mentionedUserIDs
    write {
      let known = try $0.users(ids)
      return ids.compactMap { known[$0] }
    } then: { channel, result in
      switch result {
      case .success(let mentionedUsers):
        var message = accepted.message
        message.mentionedUsers = mentionedUsers
        channel.didAccept(message, accepted, seq: channel.lastSeq + 1)
      case .failure(let error):
        channel.retract(accepted)
        channel.node.counters.add(to: .messagesFailed)
        channel.finish(accepted, .failure(error))
      }
    }
  }

  private func didAccept(_ message: Message, _ accepted: AcceptedMessage, seq: Int64) {
    lastSeq = seq
    let encoded = message.encoded()
    let result = encoded.sendResult(seq: seq)
    if record.isEphemeral, let key = accepted.key {
      ephemeralSends.record(result, of: key, now: node.loop.now)
    }
    node.counters.add(to: .messagesAccepted)
    node.latencies.record(
      nanoseconds: UInt64(max(0, SystemClock.monotonicNanoseconds - accepted.acceptedAt)),
      for: .acknowledgement)
    finish(accepted, .success(result))
    let facts = MessageFacts(
      id: message.id, createdAt: message.createdAt, authorID: message.user?.id)
    let payload = EventEncoder.messageReceived(
      origin(at: message.createdAt), seq: seq, message: encoded)
    publish(
      ChannelEvent(payload: payload, audience: .viewers(of: facts), author: accepted.author))
    tellMentioned(message, encoded)
    pursue(accepted.preview, of: message)
  }

  /// Tells mentioned users who are connected and not in the channel.
  private func tellMentioned(_ message: Message, _ encoded: [UInt8]) {
    let absent = message.mentionedUsers.map(\.id).filter { !participants.contains($0) }
    guard message.mentionType == .users, !absent.isEmpty else { return }
    let event = EventEncoder.mentionReceived(origin(at: message.createdAt), message: encoded)
    for userID in absent {
      node.post(toUser: userID) { $0.users.send(event, to: userID) }
    }
  }

  /// Answers a send, and those that repeated it meanwhile.
  private func finish(_ accepted: AcceptedMessage, _ outcome: CallOutcome) {
    reply(outcome, to: accepted.address)
    guard let key = accepted.key, let repeated = repeatedSends.removeValue(forKey: key) else {
      return
    }
    for address in repeated { reply(outcome, to: address) }
  }

  private func retract(_ accepted: AcceptedMessage) {
    guard let userID = accepted.message.user?.id else { return }
    floodGate.retract(userID, at: accepted.admittedAt)
  }

  private func count(_ error: ServiceError) {
    let reason: GatewayCounter =
      switch error.code {
      case .flood: .refusedFlood
      case .banned: .refusedBanned
      case .notInChannel: .refusedNotInChannel
      case .frozen: .refusedFrozen
      case .muted: .refusedMuted
      default: .refusedInvalid
      }
    node.counters.add(to: reason)
  }
}

extension AcceptedMessage {
  fileprivate var key: RequestKey? {
    guard let userID = message.user?.id, !message.requestID.isEmpty else { return nil }
    return RequestKey(userID: userID, requestID: message.requestID)
  }
}

extension NewMessage {
  fileprivate init(_ accepted: AcceptedMessage, channelID: Int64) {
    let message = accepted.message
    self.init(
      channelID: channelID, id: message.id, type: message.type, userID: message.user?.id,
      text: message.text, data: message.data, customType: message.customType,
      mentionType: message.mentionType, mentionedUserIDs: accepted.mentionedUserIDs,
      metaArrays: message.metaArrays, openGraphTag: message.openGraphTag,
      requestID: message.requestID, createdAt: message.createdAt)
  }
}

extension Message {
  func encoded() -> [UInt8] {
    JSONWriter.bytes(reserving: 384 + text.utf8.count + data.utf8.count) { encode(into: &$0) }
  }

  /// The result of `message.send`.
  func sendResult(seq: Int64) -> [UInt8] { encoded().sendResult(seq: seq) }
}

extension [UInt8] {
  fileprivate func sendResult(seq: Int64) -> [UInt8] {
    JSONWriter.bytes(reserving: count + 48) {
      $0.object {
        $0.member("message", raw: self)
        $0.member("seq", seq)
      }
    }
  }
}
