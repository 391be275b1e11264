internal import Basics

/// Stops pushes to a host that has failed 20 times in a row, and detects when it accepts them again.
///
/// Hosts that work take no memory.
package struct HostCircuits: Sendable {
  private static let countLimit = 1_024
  private static let limits = {
    var limits = CircuitBreaker.Limits()
    limits.failures = 20
    limits.firstWait = 30_000
    limits.longestWait = 300_000
    return limits
  }()

  /// Whether a push may be sent to a host.
  package enum Admission: Sendable, Hashable {
    case admitted(Ticket)
    /// Refused for this number of milliseconds; `nil` while another push tries the host.
    case paused(Int64?)
  }

  /// The position of a push in the history of its host.
  package struct Ticket: Sendable, Hashable {
    fileprivate let inner: CircuitBreaker.Ticket?
  }

  private var breakers: [String: CircuitBreaker] = [:]

  package init() {}

  /// The hosts that have failed, and whether they are paused.
  package var states: [(host: String, isPaused: Bool)] {
    breakers.map { ($0.key, $0.value.isPaused) }.sorted { $0.host < $1.host }
  }

  /// - Parameter now: Milliseconds of a steady clock.
  package mutating func admit(to host: String, at now: Int64) -> Admission {
    guard var breaker = breakers[host] else { return .admitted(Ticket(inner: nil)) }
    defer { breakers[host] = breaker }
    switch breaker.admit(at: now) {
    case .admitted(let ticket): return .admitted(Ticket(inner: ticket))
    case .refused(let wait): return .paused(wait)
    }
  }

  /// Notes the outcome of a push: an answer of the host, or none.
  ///
  /// - Parameter jitter: 0 to 1.
  /// - Returns: Whether the host is paused by it.
  package mutating func receive(
    _ outcome: PushOutcome, from host: String, _ ticket: Ticket, at now: Int64, jitter: Double
  ) -> Bool {
    guard case .wait = outcome else {
      breakers[host] = nil
      return false
    }
    if breakers[host] == nil, breakers.count >= Self.countLimit {
      breakers = breakers.filter { $0.value.isPaused }
      guard breakers.count < Self.countLimit else { return false }
    }
    var breaker = breakers[host] ?? CircuitBreaker(limits: Self.limits)
    defer { breakers[host] = breaker }
    guard let inner = ticket.inner ?? breaker.firstTicket(at: now) else { return false }
    switch breaker.fail(inner, at: now, jitter: jitter) {
    case .opened, .reopened: return true
    case .closed, nil: return false
    }
  }

  /// Notes that a push was given up without an outcome.
  package mutating func withdraw(_ ticket: Ticket, from host: String, at now: Int64) {
    if let inner = ticket.inner { breakers[host]?.withdraw(inner, at: now) }
  }
}

extension CircuitBreaker {
  fileprivate var isPaused: Bool {
    switch state {
    case .closed: false
    case .open, .halfOpen: true
    }
  }

  /// The ticket of a push that was admitted before the host had failed; `nil` once the host is paused.
  fileprivate mutating func firstTicket(at now: Int64) -> Ticket? {
    guard case .closed = state, case .admitted(let ticket) = admit(at: now) else { return nil }
    return ticket
  }
}
