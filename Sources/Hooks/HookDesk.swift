import Basics
import DequeModule
import ParleyProtocol

/// The limits on asking.
struct HookLimits: Sendable {
  var concurrency = 256
  var waiting = 1_024
  var waitingBytes = 16_777_216
}

/// Decides which calls are asked about now, later, or not at all.
///
/// Each hook has a circuit of its own: after five failures in a row, its calls are not asked about for
/// five seconds, and then one of them tries again. A pure value; times are milliseconds of the steady clock.
struct HookDesk: Sendable {
  /// Numbers the calls in order of arrival.
  typealias ID = UInt64

  /// A call that is being asked about.
  struct Running: Sendable {
    let hook: HookName
    fileprivate let ticket: CircuitBreaker.Ticket
  }

  /// The reason why a call is not asked about.
  enum Refusal: Sendable, Hashable {
    case circuit
    case queue
    /// Its time ended while it waited.
    case timeout
  }

  enum Decision: Sendable, Hashable {
    case start(ID)
    case skip(ID, Refusal)
  }

  private struct Waiting: Sendable {
    let id: ID
    let hook: HookName
    let byteCount: Int
    let deadline: Int64
  }

  private static var circuit: CircuitBreaker.Limits {
    var limits = CircuitBreaker.Limits()
    limits.failures = 5
    (limits.firstWait, limits.longestWait) = (5_000, 5_000)
    return limits
  }

  var limits: HookLimits
  private var waiting: Deque<Waiting> = []
  private var waitingBytes = 0
  private var running: [ID: Running] = [:]
  private var circuits: [HookName: CircuitBreaker] = [:]

  init(_ limits: HookLimits) { self.limits = limits }

  var waitingCount: Int { waiting.count }

  var runningCount: Int { running.count }

  /// The hooks about which nothing is asked because their calls have failed, or only as a trial.
  var openCircuits: Set<HookName> {
    Set(circuits.filter { if case .closed = $0.value.state { false } else { true } }.keys)
  }

  /// The time at which a waiting call is given up.
  var wakeTime: Int64? { waiting.first?.deadline }

  /// Takes a call.
  ///
  /// - Parameters:
  ///   - byteCount: The size of its body.
  ///   - deadline: The time at which it is given up.
  /// - Returns: `nil` for a call that waits.
  mutating func take(
    _ id: ID, _ hook: HookName, byteCount: Int, until deadline: Int64, at now: Int64
  ) -> Decision? {
    guard running.count >= limits.concurrency || !waiting.isEmpty else {
      return start(id, hook, at: now)
    }
    // A call that would not be asked about anyway takes no place.
    guard circuits[hook]?.refusal(at: now) == nil else { return .skip(id, .circuit) }
    guard waiting.count < limits.waiting, waitingBytes + byteCount <= limits.waitingBytes else {
      return .skip(id, .queue)
    }
    waiting.append(Waiting(id: id, hook: hook, byteCount: byteCount, deadline: deadline))
    waitingBytes += byteCount
    return nil
  }

  /// The next waiting call whose turn or end has come.
  mutating func next(at now: Int64) -> Decision? {
    guard let first = waiting.first else { return nil }
    guard first.deadline <= now || running.count < limits.concurrency else { return nil }
    waiting.removeFirst()
    waitingBytes -= first.byteCount
    guard first.deadline > now else { return .skip(first.id, .timeout) }
    return start(first.id, first.hook, at: now)
  }

  /// Ends a call that was being asked about.
  ///
  /// - Parameter isAnswered: Whether the back end gave a valid answer, whatever it was.
  /// - Returns: The change of the hook's circuit.
  mutating func end(_ id: ID, isAnswered: Bool, at now: Int64) -> CircuitBreaker.Change? {
    guard let run = running.removeValue(forKey: id) else { return nil }
    if isAnswered { return circuits[run.hook]?.succeed() }
    return circuits[run.hook]?.fail(run.ticket, at: now, jitter: 0)
  }

  private mutating func start(_ id: ID, _ hook: HookName, at now: Int64) -> Decision {
    var circuit = circuits[hook] ?? CircuitBreaker(limits: Self.circuit)
    defer { circuits[hook] = circuit }
    guard case .admitted(let ticket) = circuit.admit(at: now) else { return .skip(id, .circuit) }
    running[id] = Running(hook: hook, ticket: ticket)
    return .start(id)
  }
}
