import ParleyProtocol

/// The sends with a `req_id` that a channel remembers, so that a repetition sends nothing.
struct RequestMemory: Sendable {
  /// The calls that repeated a send on its way to the log.
  private var joined: [RequestKey: [CallID]] = [:]
  /// The requests that may have been carried out before, in a channel that keeps its messages.
  private var recent: RecentRequests
  /// The last requests of an ephemeral channel, which keeps them nowhere else.
  private var ephemeral = EphemeralSends<SentMessage>()

  /// - Parameter unknownUntil: The latest `created_at` when the channel was loaded.
  init(unknownUntil: Int64) {
    recent = RecentRequests(unknownUntil: unknownUntil)
  }

  /// Lets a call wait for the send that it repeats, if that is on its way.
  mutating func join(_ key: RequestKey, _ call: CallID) -> Bool {
    joined[key]?.append(call) != nil
  }

  /// Takes note of a send that is on its way to the log.
  mutating func begin(_ key: RequestKey, isEphemeral: Bool, at createdAt: Int64) {
    joined[key] = []
    if !isEphemeral { recent.note(key, at: createdAt) }
  }

  /// - Returns: The calls that repeated the send meanwhile.
  mutating func end(_ key: RequestKey) -> [CallID] { joined.removeValue(forKey: key) ?? [] }

  /// The message of an earlier send to an ephemeral channel.
  mutating func ephemeralResult(of key: RequestKey, at now: Int64) -> SentMessage? {
    ephemeral.result(of: key, now: now)
  }

  mutating func recordEphemeral(_ sent: SentMessage, of key: RequestKey, at now: Int64) {
    ephemeral.record(sent, of: key, byteCount: sent.byteCount, now: now)
  }

  /// Takes over an update of an ephemeral channel's message, for repetitions of its send.
  mutating func replaceEphemeral(_ message: Message, of key: RequestKey, at now: Int64) {
    guard let first = ephemeral.result(of: key, now: now), first.message.id == message.id else {
      return
    }
    let sent = SentMessage(message, seq: first.seq, first.arrival)
    ephemeral.replace(sent, of: key, byteCount: sent.byteCount, now: now)
  }

  /// Whether a request may have been carried out before.
  mutating func mayContain(_ key: RequestKey, at now: Int64) -> Bool {
    recent.mayContain(key, at: now)
  }
}
