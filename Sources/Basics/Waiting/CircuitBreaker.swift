/// Stops requests to a service that does not answer, and detects when it answers again.
///
///     closed ──failures in a row──► open ──time is up──► half-open ──answer──► closed
///                                     ▲                     │
///                                     └──twice the time─────┘ no answer
///
/// Uses no clock or randomness of its own. Times are milliseconds of any monotonic clock.
package struct CircuitBreaker: Sendable {
  /// The conditions and durations of opening.
  package struct Limits: Sendable, Hashable {
    /// The number of consecutive failures that open the breaker.
    package var failures = 5
    /// The duration of the first open period, in milliseconds.
    package var firstWait: Int64 = 1_000
    /// The maximum duration of an open period, in milliseconds.
    package var longestWait: Int64 = 60_000

    package init() {}
  }

  /// The state of the service.
  package enum State: Sendable, Hashable {
    /// The service answers, except for this number of consecutive failures.
    case closed(failures: Int)
    /// The service does not answer: no requests are made before `until`.
    case open(until: Int64)
    /// The service did not answer, and one request is trying it again.
    case halfOpen
  }

  /// Whether a request may be made.
  package enum Admission: Sendable, Hashable {
    /// Allowed; report its outcome with the ticket.
    case admitted(Ticket)
    /// Refused for this number of milliseconds; `nil` while another request tries the service.
    case refused(wait: Int64?)
  }

  /// The position of a request in the breaker's history.
  ///
  /// The outcome of a request made before a change of state does not count after it.
  package struct Ticket: Sendable, Hashable {
    fileprivate let generation: UInt64
  }

  /// The change of state caused by a result.
  package enum Change: Sendable, Hashable {
    /// The service is down and will be tried again after this number of milliseconds.
    case opened(wait: Int64)
    /// A try failed: the service stays unavailable for this number of milliseconds.
    case reopened(wait: Int64)
    /// The service answers again.
    case closed
  }

  package private(set) var state = State.closed(failures: 0)
  private let limits: Limits
  private var wait: Int64
  private var generation: UInt64 = 0

  package init(limits: Limits = Limits()) {
    self.limits = limits
    wait = max(1, limits.firstWait)
  }

  /// The reason why no request may be made now; `nil` when requests are allowed.
  package func refusal(at now: Int64) -> Admission? {
    switch state {
    case .closed: nil
    case .open(let until): until > now ? .refused(wait: until - now) : nil
    case .halfOpen: .refused(wait: nil)
    }
  }

  /// Admits a request, or returns how long requests are refused.
  package mutating func admit(at now: Int64) -> Admission {
    if let refusal = refusal(at: now) { return refusal }
    if case .open = state { move(to: .halfOpen) }
    return .admitted(Ticket(generation: generation))
  }

  /// Records that the service has answered, which counts regardless of when the request was made.
  package mutating func succeed() -> Change? {
    wait = max(1, limits.firstWait)
    if case .closed = state {
      state = .closed(failures: 0)
      return nil
    }
    move(to: .closed(failures: 0))
    return .closed
  }

  /// Records that the service has not answered, or not with a valid answer.
  ///
  /// - Parameter jitter: 0 to 1; shortens the time by up to a quarter, so that many clients that lost
  ///   the same service do not all return at the same moment.
  package mutating func fail(_ ticket: Ticket, at now: Int64, jitter: Double) -> Change? {
    guard ticket.generation == generation else { return nil }
    switch state {
    case .closed(let failures) where failures + 1 < limits.failures:
      state = .closed(failures: failures + 1)
      return nil
    case .closed: return .opened(wait: open(at: now, jitter: jitter))
    case .halfOpen:
      wait = min(wait.addingClamped(wait), max(1, limits.longestWait))
      return .reopened(wait: open(at: now, jitter: jitter))
    case .open: return nil
    }
  }

  /// Records that a request was cancelled without an outcome: another one may try.
  package mutating func withdraw(_ ticket: Ticket, at now: Int64) {
    guard ticket.generation == generation, case .halfOpen = state else { return }
    move(to: .open(until: now))
  }

  private mutating func open(at now: Int64, jitter: Double) -> Int64 {
    let share = jitter.isFinite ? min(max(jitter, 0), 1) : 0
    let shortened = max(1, wait - Int64(Double(wait / 4) * share))
    move(to: .open(until: now.addingClamped(shortened)))
    return shortened
  }

  private mutating func move(to state: State) {
    self.state = state
    generation &+= 1
  }
}

extension Int64 {
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
