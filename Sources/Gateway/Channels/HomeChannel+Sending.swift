import Channels
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
  /// `nil` for admin messages.
  let userID: String?
  let requestID: String
}

extension RequestKey {
  /// `nil` for a send without a name, which nobody can repeat.
  fileprivate init?(_ actor: Principal, _ requestID: String?) {
    guard let requestID, !requestID.isEmpty else { return nil }
    self.init(userID: actor.user?.id, requestID: requestID)
  }
}

/// A message that was accepted and has no place in the channel's count yet.
struct AcceptedMessage: Sendable {
  var message: Message
  var mentionedUserIDs: [String]
  /// The file that came with it.
  let upload: UploadedFile?
  /// What was known of its link's preview.
  let preview: KnownPreview
  /// The connection that learns of it by the answer.
  let author: SessionAddress?
  let answer: HomeChannel.Answer<SentMessage>
  /// Its place in the flood window; `nil` when it took none.
  let place: FloodPlace?
  /// Nanoseconds of the monotonic clock when it was accepted.
  let acceptedAt: Int64
}

extension HomeChannel {
  /// Judges a message and, when nothing speaks against it, has it stored and told.
  ///
  /// - Parameters:
  ///   - upload: The file that came with it; a message that is refused or repeated does not keep it.
  ///   - requestID: The sender's own name of the sending; `nil` for one without.
  func send(
    _ draft: Result<MessageDraft, ServiceError>, _ upload: UploadedFile? = nil, requestID: String?,
    by actor: Principal,
    then answer: @escaping Answer<SentMessage>
  ) {
    let key = RequestKey(actor, requestID)
    if let key, repeatedSends[key] != nil {
      repeatedSends[key]?.append(answer)
      return
    }
    if let key, record.isEphemeral, let first = ephemeralSends.result(of: key, now: node.loop.now) {
      node.counters.add(to: .messagesRepeated)
      answer(self, .success(first))
      return
    }
    do throws(ServiceError) {
      let now = services.clock.now
      try requireSending(actor)
      let draft = try draft.get()
      try MessageSize.check(draft)
      let place = try takePlace(actor, .send, bytes: draft.byteCount, at: now)
      if let key { repeatedSends[key] = [] }
      accept(
        draft, upload, requestID: requestID ?? "", by: actor, at: now, place, then: answer)
    } catch {
      refuse(error, key, then: answer)
    }
  }

  /// A refusal stands unless the very send was accepted before.
  private func refuse(
    _ error: ServiceError, _ key: RequestKey?, then answer: @escaping Answer<SentMessage>
  ) {
    let now = services.clock.now
    guard let key, !record.isEphemeral, !isDeleted, recentRequests.mayContain(key, at: now) else {
      count(error)
      answer(self, .failure(error))
      return
    }
    let id = storeID
    let since = now - requestIDLifetimeMilliseconds
    lookUp {
      try $0.findByRequestID(
        channelID: id, userID: key.userID, requestID: key.requestID, since: since)
    } then: { channel, result in
      switch result {
      case .success(let found?):
        channel.node.counters.add(to: .messagesRepeated)
        answer(channel, .success(SentMessage(found.message, seq: found.seq, .repeated)))
      case .failure(let missing) where missing.code == .notFound:
        answer(channel, .failure(missing))
      case .success(nil), .failure:
        channel.count(error)
        answer(channel, .failure(error))
      }
    }
  }

  private func accept(
    _ draft: MessageDraft, _ upload: UploadedFile?, requestID: String, by actor: Principal,
    at now: Int64, _ place: FloodPlace?, then answer: @escaping Answer<SentMessage>
  ) {
    let createdAt = max(now, lastCreatedAt)
    lastCreatedAt = createdAt
    // What stands beside a file describes it; its link is the file's own.
    let preview = draft.type == .file ? .noLink : knownPreview(ofText: draft.text, by: actor)
    let message = Message(
      id: services.messageIDs.next(at: createdAt), type: draft.type, channelURL: url,
      user: actor.user, text: draft.text, file: draft.file, data: draft.data,
      customType: draft.customType,
      mentionType: draft.mentionType, metaArrays: draft.metaArrays, openGraphTag: preview.tag,
      requestID: requestID, isOperatorMessage: actor.user.map { isOperator($0.id) } ?? false,
      createdAt: createdAt)
    let accepted = AcceptedMessage(
      message: message, mentionedUserIDs: draft.mentionedUserIDs, upload: upload,
      preview: preview, author: actor.session, answer: answer, place: place,
      acceptedAt: SystemClock.monotonicNanoseconds)
    upload?.handOver()
    if !record.isEphemeral, let key = accepted.key { recentRequests.note(key, at: createdAt) }
    if record.isEphemeral { tell(accepted) } else { store(accepted) }
  }

  private func store(_ accepted: AcceptedMessage) {
    let message = UnsequencedMessage(
      accepted.message, mentionedUserIDs: accepted.mentionedUserIDs,
      upload: accepted.upload?.record)
    append(message) { channel, result in
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
      accepted.upload?.remove()
      // The send was accepted before: it takes no place in the window a second time.
      giveBack(accepted.place)
      node.counters.add(to: .messagesRepeated)
      finish(accepted, .success(SentMessage(message, seq: seq, .repeated)))
    case .failure(let error):
      accepted.upload?.remove()
      giveBack(accepted.place)
      node.counters.add(to: .messagesFailed)
      finish(accepted, .failure(error))
    }
  }

  /// An ephemeral channel's message passes through the store's queue, to keep its place behind
  /// those before it, but nothing is stored.
  private func tell(_ accepted: AcceptedMessage) {
    let ids = accepted.mentionedUserIDs
    let (message, file, storeID) = (accepted.message, accepted.upload?.record, storeID)
    if ids.isEmpty, file == nil {
      return pass { channel, result in channel.didPass(accepted, result.map { [] }) }
    }
    write {
      if let file {
        try $0.keepFile(file, ofMessage: message.id, channelID: storeID, at: message.createdAt)
      }
      let known = try $0.users(ids)
      return ids.compactMap { known[$0] }
    } then: { channel, result in
      channel.didPass(accepted, result)
    }
  }

  private func didPass(_ accepted: AcceptedMessage, _ result: Result<[User], ServiceError>) {
    switch result {
    case .success(let mentionedUsers):
      var message = accepted.message
      message.mentionedUsers = mentionedUsers
      didAccept(message, accepted, seq: lastSeq + 1)
    case .failure(let error):
      accepted.upload?.remove()
      giveBack(accepted.place)
      node.counters.add(to: .messagesFailed)
      finish(accepted, .failure(error))
    }
  }

  private func didAccept(_ message: Message, _ accepted: AcceptedMessage, seq: Int64) {
    let sent = SentMessage(message, seq: seq)
    settle(accepted.place, bytes: sent.encoded.count)
    if record.isEphemeral, let key = accepted.key {
      ephemeralSends.record(sent, of: key, byteCount: sent.byteCount, now: node.loop.now)
    }
    node.counters.add(to: .messagesAccepted)
    node.latencies.record(
      nanoseconds: UInt64(max(0, SystemClock.monotonicNanoseconds - accepted.acceptedAt)),
      for: .acknowledgement)
    finish(accepted, .success(sent))
    let facts = MessageFacts(
      id: message.id, createdAt: message.createdAt, authorID: message.user?.id)
    let payload = EventEncoder.messageReceived(
      origin(at: message.createdAt), seq: seq, message: sent.encoded)
    publish(
      ChannelEvent(
        payload: payload, subject: .message(facts), seq: seq, timestamp: message.createdAt,
        author: accepted.author))
    queueWebhook(.messageReceived, seq: seq, at: message.createdAt, payload)
    notifyMentioned(in: sent, by: accepted.author)
    pursue(accepted.preview, of: message)
  }

  /// Answers a send, and those that repeated it meanwhile.
  private func finish(_ accepted: AcceptedMessage, _ outcome: Result<SentMessage, ServiceError>) {
    accepted.answer(self, outcome)
    guard let key = accepted.key, let repeated = repeatedSends.removeValue(forKey: key) else {
      return
    }
    for answer in repeated { answer(self, outcome) }
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
    guard !message.requestID.isEmpty else { return nil }
    return RequestKey(userID: message.user?.id, requestID: message.requestID)
  }
}

extension Message {
  func encoded() -> [UInt8] {
    JSONWriter.bytes(reserving: 384 + text.utf8.count + data.utf8.count) { encode(into: &$0) }
  }
}
