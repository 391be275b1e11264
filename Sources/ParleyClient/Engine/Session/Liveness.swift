/// Tells a quiet server from a dead connection.
///
///     last bytes ──── 1.5 × ping interval ────► ping ──── 10 s ────► lost
///
/// Times are milliseconds of a clock that never goes back.
struct Liveness: Sendable, Hashable {
  /// What is due.
  enum Verdict: Sendable, Hashable {
    case alive
    case pingDue
    case lost
  }

  /// How long a ping may stay without any sign of life.
  static let patience: Int64 = 10_000
  private static let shortestQuiet: Int64 = 1000
  private static let longestQuiet: Int64 = 600_000

  private let quiet: Int64
  private var lastReceived: Int64
  private var pinged: Int64?

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
  }

  /// When to ask for a verdict next.
  var deadline: Int64 {
    pinged.map { $0 + Self.patience } ?? lastReceived + quiet
  }

  /// Judges; a ping that is due counts as sent.
  mutating func judge(at now: Int64) -> Verdict {
    guard now >= deadline else { return .alive }
    guard pinged == nil else { return .lost }
    pinged = now
    return .pingDue
  }
}
