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
  /// Waiting before the next attempt.
  case pausing(until: Int64)
  /// A connection is being opened.
  case connecting
  /// `session.open` was sent.
  case opening(deadline: Int64)
  case open(OpenSession)
  /// `session.close` was sent; earlier calls are still answered.
  case leaving(deadline: Int64, [EngineCallID])
}

/// An open session on its connection.
struct OpenSession: Sendable {
  let since: Int64
  var liveness: Liveness
  /// The largest request that the server accepts, in bytes.
  let messageLimit: Int
  /// The channels being re-entered, and the deadlines of their responses.
  ///
  /// Calls wait until it is empty, so that they are carried out in the order in which they were made.
  var entering: [String: Int64] = [:]
  /// The time at which the server asks this client to reconnect, if it has announced one.
  var reconnectAt: Int64?

  /// The withheld notice that the token expires, and the time until which it is withheld.
  var expiry: (notice: JSONNode, due: Int64)?

  /// Returns whether calls may be written now.
  func admitsCalls(at now: Int64) -> Bool {
    guard entering.isEmpty else { return false }
    guard let reconnectAt else { return true }
    return now < reconnectAt
  }
}

/// The state that the application requested.
enum SessionGoal: Sendable {
  /// No session.
  case none
  /// A first session, within the deadline.
  case first(EngineCallID, deadline: Int64)
  /// A session that is reopened whenever it is lost.
  case lasting
}

/// The waits of a reconnecting client, counted since its last good connection.
struct Reconnection: Sendable {
  /// Times are in milliseconds.
  struct Settings: Sendable, Hashable {
    /// Full jitter: clients disconnected together do not reconnect together.
    var backoff = Backoff(first: 500, limit: 30_000, jitter: .full)
    /// A connection that lasted this long was good: the count restarts.
    var resetAfter: Int64 = 10_000
  }

  let settings: Settings
  /// The number of waits since the last good connection.
  private(set) var attempt = 0

  init(_ settings: Settings) {
    self.settings = settings
  }

  /// Returns the wait before the next attempt, in milliseconds.
  ///
  /// - Parameter random: Any number; it selects the wait between 0 and the ceiling.
  mutating func next(random: UInt64) -> Int64 {
    if attempt < .max { attempt += 1 }
    return settings.backoff.wait(after: attempt, random: random)
  }

  /// Restarts the count.
  mutating func reset() {
    attempt = 0
  }
}
