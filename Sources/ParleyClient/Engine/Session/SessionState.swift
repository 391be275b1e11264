internal import Basics
internal import ParleyProtocol

/// The state of a session.
///
///     disconnected ──► connecting ──► opening ──► open ──► leaving ──► disconnected
///                          ▲              │         │
///                       pausing ◄─────────┴─────────┘ lost
///
/// Times are milliseconds of the machine's clock.
enum SessionState: Sendable {
  /// No connection is wanted.
  case disconnected
  /// Waits before the next attempt.
  case pausing(until: Int64)
  /// A connection is being made.
  case connecting
  /// `session.open` is on its way.
  case opening(deadline: Int64)
  case open(OpenSession)
  /// `session.close` is on its way; what was sent before is still answered.
  case leaving(deadline: Int64, [EngineCallID])
}

/// A session on a connection of its own.
struct OpenSession: Sendable {
  let since: Int64
  var liveness: Liveness
  /// The largest request that the server takes, in bytes.
  let messageLimit: Int
  /// Channels that are being entered again, and until when their answers must come; calls wait
  /// until it is empty, so that they are carried out in the order in which they were made.
  var entering: [String: Int64] = [:]
  /// When the server wants this client to come back, once it has said so.
  var reconnectAt: Int64?

  /// The notice that the token expires, which is held back; and until when.
  var expiry: (notice: JSONNode, due: Int64)?

  /// Whether calls may be written now.
  func admitsCalls(at now: Int64) -> Bool {
    guard entering.isEmpty else { return false }
    guard let reconnectAt else { return true }
    return now < reconnectAt
  }
}

/// The state that the application asked for.
enum SessionGoal: Sendable {
  /// No session.
  case none
  /// A first session until the deadline.
  case first(EngineCallID, deadline: Int64)
  /// A session whatever happens.
  case lasting
}

/// The waits of a client that connects again, counted since its last good connection.
struct Reconnection: Sendable {
  /// Times in milliseconds.
  struct Settings: Sendable, Hashable {
    /// Full jitter: clients which were cut off together do not come back together.
    var backoff = Backoff(first: 500, limit: 30_000, jitter: .full)
    /// A connection that lasted so long was a good one: counting begins anew.
    var resetAfter: Int64 = 10_000
  }

  let settings: Settings
  /// The number of waits since the last good connection.
  private(set) var attempt = 0

  init(_ settings: Settings) {
    self.settings = settings
  }

  /// The wait before the next attempt, in milliseconds.
  ///
  /// - Parameter random: Any number; it decides where between 0 and the ceiling the wait lies.
  mutating func next(random: UInt64) -> Int64 {
    if attempt < .max { attempt += 1 }
    return settings.backoff.wait(after: attempt, random: random)
  }

  /// Begins anew.
  mutating func reset() {
    attempt = 0
  }
}
