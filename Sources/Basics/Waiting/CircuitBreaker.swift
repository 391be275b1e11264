/// Keeps from asking a service that does not answer, and finds out when it does again.
///
///     closed ──failures in a row──► open ──time is up──► half-open ──answer──► closed
///                                     ▲                     │
///                                     └──twice the time─────┘ no answer
///
/// Owns no clock and no randomness. Times are milliseconds of any clock that does not go back.
package struct CircuitBreaker: Sendable {
  /// When it opens, and for how long.
  package struct Limits: Sendable, Hashable {
    /// The number of failures in a row that open it.
    package var failures = 5
    /// The time for which it is open at first, in milliseconds.
    package var firstWait: Int64 = 1_000
    /// The longest that it is open at a time, in milliseconds.
    package var longestWait: Int64 = 60_000

    package init() {}
  }

  /// The state of the service.
  package enum State: Sendable, Hashable {
    /// The service answers, except for this number of failures in a row.
    case closed(failures: Int)
    /// It does not: nobody asks before `until`.
    case open(until: Int64)
    /// It did not, and one request is trying again.
    case halfOpen
  }

  /// Whether a request may be made.
  package enum Admission: Sendable, Hashable {
    /// Allowed; report its end with the ticket.
    case admitted(Ticket)
    /// Refused for this number of milliseconds; `nil` while another request tries the service.
    case refused(wait: Int64?)
  }

  /// A request's place in the breaker's history.
  ///
  /// The outcome of a request from before a change says nothing about the time after it.
  package struct Ticket: Sendable, Hashable {
    fileprivate let generation: UInt64
  }

  /// The change of state by a result.
  package enum Change: Sendable, Hashable {
    /// The service is down and will be tried again after this number of milliseconds.
    case opened(wait: Int64)
    /// A try failed: the service stays down for this number of milliseconds.
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

  /// The reason why no request may be made now; `nil` when requests may be made.
  package func refusal(at now: Int64) -> Admission? {
    switch state {
    case .closed: nil
    case .open(let until): until > now ? .refused(wait: until - now) : nil
    case .halfOpen: .refused(wait: nil)
    }
  }

  /// Lets a request through, or says for how long it is of no use.
  package mutating func admit(at now: Int64) -> Admission {
    if let refusal = refusal(at: now) { return refusal }
    if case .open = state { move(to: .halfOpen) }
    return .admitted(Ticket(generation: generation))
  }

  /// The service has answered; that counts whenever it was asked.
  package mutating func succeed() -> Change? {
    wait = max(1, limits.firstWait)
    if case .closed = state {
      state = .closed(failures: 0)
      return nil
    }
    move(to: .closed(failures: 0))
    return .closed
  }

  /// The service has not answered, or not in a way that can be understood.
  ///
  /// - Parameter jitter: 0 to 1; shortens the time by up to a quarter, so that many who lost the
  ///   same service do not all return at the same moment.
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

  /// A request was called off before anything came of it: another one may try.
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
