import Basics

/// The condition of a service as its answers show it: whether it is asked, and whether it is slow.
struct ServiceCondition {
  /// This number of slow questions in a row make a slow service.
  private static let slowCount = 5

  private var breaker: CircuitBreaker
  /// The end of a pause that the service asked for.
  private var pausedUntil = Int64.min
  private var slowInARow = 0

  init(_ limits: CircuitBreaker.Limits) { breaker = CircuitBreaker(limits: limits) }

  /// Whether it has taken too long several times in a row.
  var isSlow: Bool { slowInARow >= Self.slowCount }

  /// Whether it counts as answering.
  var isUp: Bool {
    if case .closed = breaker.state { true } else { false }
  }

  func isAsked(at now: Int64) -> Bool { pausedUntil <= now && breaker.refusal(at: now) == nil }

  /// Lets a question begin; `nil` while there is a pause, or another question tries the service.
  mutating func admit(at now: Int64) -> CircuitBreaker.Ticket? {
    guard pausedUntil <= now, case .admitted(let ticket) = breaker.admit(at: now) else {
      return nil
    }
    return ticket
  }

  /// Takes note of a question that has taken too long, and is not at its end.
  mutating func noteSlow() { slowInARow += 1 }

  /// Takes note of the end of a question.
  ///
  /// - Parameters:
  ///   - isLate: Whether it took too long.
  ///   - jitter: See `CircuitBreaker`.
  /// - Returns: Whether the service stopped to answer by this, or answers again.
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
