import Basics

/// The condition of a service as shown by its responses: whether it is queried, and whether it is slow.
struct ServiceCondition {
  /// The number of consecutive slow queries after which a service counts as slow.
  private static let slowCount = 5

  private var breaker: CircuitBreaker
  /// The end of a pause requested by the service.
  private var pausedUntil = Int64.min
  private var slowInARow = 0

  init(_ limits: CircuitBreaker.Limits) { breaker = CircuitBreaker(limits: limits) }

  /// Whether the service was slow several times in a row.
  var isSlow: Bool { slowInARow >= Self.slowCount }

  /// Whether the service counts as responding.
  var isUp: Bool {
    if case .closed = breaker.state { true } else { false }
  }

  func isAsked(at now: Int64) -> Bool { pausedUntil <= now && breaker.refusal(at: now) == nil }

  /// Admits a query; `nil` during a pause, or while another query probes the service.
  mutating func admit(at now: Int64) -> CircuitBreaker.Ticket? {
    guard pausedUntil <= now, case .admitted(let ticket) = breaker.admit(at: now) else {
      return nil
    }
    return ticket
  }

  /// Records a query that has taken too long and is still in progress.
  mutating func noteSlow() { slowInARow += 1 }

  /// Records the end of a query.
  ///
  /// - Parameters:
  ///   - isLate: Whether the query took too long.
  ///   - jitter: See `CircuitBreaker`.
  /// - Returns: Whether the service went down or came back up with this query.
  mutating func note(
    _ outcome: TranslationOutcome, of ticket: CircuitBreaker.Ticket, isLate: Bool, at now: Int64,
    jitter: Double
  ) -> CircuitBreaker.Change? {
    switch outcome {
    case .text, .same, .refused:
      if !isLate { slowInARow = 0 }
      return breaker.succeed()
    case .overloaded(let wait):
      pausedUntil = max(pausedUntil, now + wait)
      breaker.withdraw(ticket, at: now)
      return nil
    case .failed, .timedOut: return breaker.fail(ticket, at: now, jitter: jitter)
    case .notAsked:
      breaker.withdraw(ticket, at: now)
      return nil
    }
  }
}
