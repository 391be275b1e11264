/// Tells a quiet server from a dead connection.
///
///     last bytes ──── 1.5 × ping interval ────► ping ──── 10 s ────► lost
///     request ─────── 2.5 s without bytes ────► ping ────  5 s ────► lost
///
/// A request that nothing follows makes it look sooner, so that the request can be made again on
/// another connection before its caller has given up.
///
/// Times are milliseconds of a clock that never goes back.
struct Liveness: Sendable, Hashable {
  /// The action that is due.
  enum Verdict: Sendable, Hashable {
    case alive
    case pingDue
    case lost
  }

  /// How long a ping may stay without any sign of life.
  static let patience: Int64 = 10_000
  private static let patienceAfterRequest: Int64 = 5000
  private static let quietAfterRequest: Int64 = 2500
  private static let shortestQuiet: Int64 = 1000
  private static let longestQuiet: Int64 = 600_000

  private let quiet: Int64
  private var lastReceived: Int64
  private var pinged: Int64?
  /// The first request that nothing has followed yet.
  private var asked: Int64?

  /// - Parameter pingInterval: How often the server pings, by its own account.
  init(pingInterval: Int64, now: Int64) {
    let interval = min(max(pingInterval, 0), Self.longestQuiet)
    quiet = min(max(interval + interval / 2, Self.shortestQuiet), Self.longestQuiet)
    lastReceived = now
  }

  /// Something came.
  mutating func receive(at now: Int64) {
    lastReceived = now
    pinged = nil
    asked = nil
  }

  /// A request was written.
  mutating func ask(at now: Int64) {
    if asked == nil { asked = now }
  }

  /// When to ask for a verdict next.
  var deadline: Int64 {
    guard let pinged else {
      return min(lastReceived + quiet, asked.map { $0 + Self.quietAfterRequest } ?? .max)
    }
    // A ping from before the request has its own time, but not more than one from now on.
    let afterRequest = asked.map { max($0, pinged) + Self.patienceAfterRequest }
    return min(pinged + Self.patience, afterRequest ?? .max)
  }

  /// Judges; a ping that is due counts as sent.
  mutating func judge(at now: Int64) -> Verdict {
    guard now >= deadline else { return .alive }
    guard pinged == nil else { return .lost }
    pinged = now
    return .pingDue
  }
}
