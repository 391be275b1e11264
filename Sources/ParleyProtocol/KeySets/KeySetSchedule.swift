internal import Basics

/// The times at which one issuer's key set is fetched, and the time for which its keys are used.
///
///     fetched ──── lifetime ────▶ due ──── stale time ────▶ gone
///                                  └ attempts, at most one in 10 s
///
/// Times are milliseconds of a steady clock, which the caller passes.
package struct KeySetSchedule: Sendable {
  /// The effect of a token whose key is unknown.
  package enum Miss: Sendable, Hashable {
    /// A fetch is to be started, and the token may wait for its outcome.
    case fetch
    /// A fetch is under way, for whose outcome the token may wait.
    case wait
    /// No fetch for the given number of milliseconds.
    case refuse(Int64)
  }

  /// The least time between the starts of two fetches.
  package static let pause: Int64 = 10_000
  /// The accepted lifetimes of a set in seconds; others count as the nearest.
  package static let lifetimes: ClosedRange<Int64> = 60...86_400
  /// The lifetime of a set whose response has none, in seconds.
  package static let usualLifetime: Int64 = 3_600
  private static let backoff = Backoff(first: 20_000, limit: 300_000, jitter: .equal)

  /// The time after which keys that cannot be fetched again are still used.
  package var staleTime: Int64
  private var set: (fetchedAt: Int64, dueAt: Int64)?
  private let createdAt: Int64
  private var lastStart: Int64?
  private var nextStart: Int64
  package private(set) var isFetching = false
  package private(set) var failures = 0

  /// Begins without keys; the first fetch is due.
  package init(staleTime: Int64, at now: Int64) {
    self.staleTime = staleTime
    (createdAt, nextStart) = (now, now)
  }

  /// Adopts the time of an earlier fetch, whose keys were kept; the next fetch stays due.
  ///
  /// - Parameter lifetime: In seconds.
  /// - Returns: Whether the keys may still be used.
  package mutating func restore(fetchedAt: Int64, lifetime: Int64, at now: Int64) -> Bool {
    let fetchedAt = min(fetchedAt, now)
    let due = fetchedAt + Self.bounded(lifetime) * 1_000
    guard now < due + staleTime else { return false }
    set = (fetchedAt, due)
    return true
  }

  /// The lifetime of a set whose response allows `maxAge` seconds.
  package static func bounded(_ maxAge: Int64?) -> Int64 {
    guard let maxAge else { return usualLifetime }
    return min(max(maxAge, lifetimes.lowerBound), lifetimes.upperBound)
  }

  // MARK: Fetches

  /// The time of the next fetch; `nil` while one is under way.
  package var wakeUp: Int64? { isFetching ? nil : nextStart }

  /// Starts the fetch if its time has come.
  package mutating func startIfDue(at now: Int64) -> Bool {
    guard !isFetching, now >= nextStart else { return false }
    start(at: now)
    return true
  }

  /// Decides about a token whose key is unknown.
  package mutating func miss(at now: Int64) -> Miss {
    if isFetching { return .wait }
    if let lastStart, now < lastStart + Self.pause { return .refuse(lastStart + Self.pause - now) }
    start(at: now)
    return .fetch
  }

  private mutating func start(at now: Int64) {
    isFetching = true
    lastStart = now
  }

  /// Notes a fetch that brought usable keys.
  ///
  /// - Parameter maxAge: The seconds that the response allows; `nil` if it has none.
  package mutating func succeed(at now: Int64, maxAge: Int64?) {
    isFetching = false
    failures = 0
    let due = now + Self.bounded(maxAge) * 1_000
    set = (now, due)
    nextStart = due
  }

  /// Notes a fetch that failed.
  ///
  /// - Parameter random: Any number, which spreads the attempts of several servers.
  package mutating func fail(at now: Int64, random: UInt64) {
    isFetching = false
    failures += 1
    // Without keys no token is accepted, so the attempts do not become rare.
    let failures = hasKeys(at: now) ? failures : 1
    nextStart =
      (lastStart ?? now) + max(Self.pause, Self.backoff.wait(after: failures, random: random))
  }

  // MARK: Keys

  /// Whether the keys of the last successful fetch may be used.
  ///
  /// They stay until an attempt has failed after their time: a server that was suspended does not
  /// refuse tokens during the first fetch.
  package func hasKeys(at now: Int64) -> Bool {
    guard let set else { return false }
    return failures == 0 || now < set.dueAt + staleTime
  }

  /// The milliseconds since the last successful fetch; `nil` without any.
  package func age(at now: Int64) -> Int64? { set.map { max(0, now - $0.fetchedAt) } }

  /// The milliseconds since the set should have been fetched.
  package func overdue(at now: Int64) -> Int64 { max(0, now - (set?.dueAt ?? createdAt)) }

  /// The milliseconds until a client without keys may try again, at least a second.
  package func retryAfter(at now: Int64) -> Int64 {
    guard !isFetching, let lastStart else { return 1_000 }
    return max(1_000, min(nextStart, lastStart + Self.pause) - now)
  }
}
