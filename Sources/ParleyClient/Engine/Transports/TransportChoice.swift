internal import ClientTransport

/// Chooses between a WebSocket and a stream for one server, by the outcomes of earlier attempts.
///
///     two refused handshakes in 10 s, or one unanswered for 5 s ─► a stream is tried
///     the stream opens ─► streams for an hour
///     it does not      ─► WebSockets again
///
/// The trial separates blocked WebSockets from a server that is away, to which neither connects.
///
/// Times are milliseconds of a monotonic clock.
struct TransportChoice: Sendable, Hashable {
  enum Transport: Sendable, Hashable {
    case webSocket
    case stream
  }

  /// The outcome of an attempt to connect.
  enum Outcome: Sendable, Hashable {
    case webSocketOpened
    /// - `handshake`: `nil` if the failure shows that the server is away.
    case webSocketFailed(handshake: ConnectionFailure.Handshake?)
    /// The server has answered the first message of a stream.
    case streamOpened
    case streamFailed
    /// The server has no streams.
    case streamsMissing
  }

  private enum Finding: Sendable, Hashable {
    case none
    /// WebSockets may be blocked: a stream is tried.
    case suspected
    case blocked(until: Int64)
    case withoutStreams(until: Int64)
  }

  /// The time limit of the server's answer to an opening handshake.
  static let handshakePatience: Int64 = 5000
  private static let refusalWindow: Int64 = 10_000
  private static let memory: Int64 = 3_600_000

  private var finding = Finding.none
  private var lastRefusal: Int64?

  /// Returns the transport of an attempt that starts now.
  func transport(at now: Int64) -> Transport {
    switch finding {
    case .suspected: .stream
    case .blocked(let until): now < until ? .stream : .webSocket
    case .none, .withoutStreams: .webSocket
    }
  }

  /// Whether a stream may take the place of a WebSocket.
  func hasAlternative(at now: Int64) -> Bool {
    if case .withoutStreams(let until) = finding { now >= until } else { true }
  }

  /// Records the outcome of an attempt.
  mutating func note(_ outcome: Outcome, at now: Int64) {
    switch outcome {
    case .webSocketOpened: self = TransportChoice()
    case .webSocketFailed(let handshake):
      if let handshake, hasAlternative(at: now) { noteFailure(handshake, at: now) }
    case .streamOpened:
      if finding == .suspected { finding = .blocked(until: now + Self.memory) }
    case .streamFailed: if finding == .suspected { self = TransportChoice() }
    case .streamsMissing:
      self = TransportChoice()
      finding = .withoutStreams(until: now + Self.memory)
    }
  }

  private mutating func noteFailure(_ handshake: ConnectionFailure.Handshake, at now: Int64) {
    switch handshake {
    case .refused:
      let isSecond = lastRefusal.map { now - $0 <= Self.refusalWindow } ?? false
      finding = isSecond ? .suspected : .none
      lastRefusal = isSecond ? nil : now
    case .unanswered: finding = .suspected
    }
  }
}
