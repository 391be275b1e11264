import Dispatch
import Synchronization

/// Jobs on their way to a thread of the store: first in, first out, bounded.
///
/// Prompt jobs pass the waiting ones, but make up at most half of a batch while others wait too, so that
/// neither kind is starved by the other.
final class JobQueue<Job: Sendable>: Sendable {
  /// The outcome of a submission.
  enum Admission {
    case accepted
    case overloaded
    case closed
  }

  /// The outcome of waiting for jobs.
  enum Arrival {
    case jobs([Job])
    case nothing
    /// The queue is closed and empty.
    case end
  }

  // Two stacks make a queue with O(1) operations at both ends that retains no removed job.
  private struct State {
    var incoming: [Job] = []
    var outgoing: [Job] = []
    var prompt: [Job] = []
    var sleeperCount = 0
    var isClosed = false
  }

  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)
  private let length = Atomic<Int>(0)
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Jobs waiting now; read without the lock.
  var count: Int { length.load(ordering: .relaxed) }

  func submit(_ job: Job) -> Admission {
    let (admission, mustWake) = state.withLock { state -> (Admission, Bool) in
      let admission = admit(job, into: &state)
      return (admission, admission == .accepted && Self.callSleeper(of: &state))
    }
    if mustWake { wakeUp.signal() }
    return admission
  }

  /// Submits a job that passes the waiting ones, except other prompt jobs.
  func submitPrompt(_ job: Job) -> Admission {
    let (admission, mustWake) = state.withLock { state -> (Admission, Bool) in
      guard !state.isClosed else { return (.closed, false) }
      guard state.prompt.count < capacity else { return (.overloaded, false) }
      state.prompt.append(job)
      length.wrappingAdd(1, ordering: .relaxed)
      return (.accepted, Self.callSleeper(of: &state))
    }
    if mustWake { wakeUp.signal() }
    return admission
  }

  /// Submits consecutive jobs: a thread waiting for jobs receives all of them together.
  ///
  /// Only one waiting thread is woken, however many there are.
  ///
  /// - Returns: The number of accepted jobs, from the first on, and the outcome of the others.
  func submit(_ jobs: [Job]) -> (accepted: Int, others: Admission) {
    let (accepted, admission, mustWake) = state.withLock { state -> (Int, Admission, Bool) in
      var (accepted, admission) = (0, Admission.accepted)
      while accepted < jobs.count {
        admission = admit(jobs[accepted], into: &state)
        guard admission == .accepted else { break }
        accepted += 1
      }
      return (accepted, admission, accepted > 0 && Self.callSleeper(of: &state))
    }
    if mustWake { wakeUp.signal() }
    return (accepted, admission)
  }

  private func admit(_ job: Job, into state: inout State) -> Admission {
    guard !state.isClosed else { return .closed }
    guard state.incoming.count + state.outgoing.count < capacity else { return .overloaded }
    state.incoming.append(job)
    length.wrappingAdd(1, ordering: .relaxed)
    return .accepted
  }

  /// - Returns: Whether a sleeper was removed from the list and must now be woken.
  private static func callSleeper(of state: inout State) -> Bool {
    guard state.sleeperCount > 0 else { return false }
    state.sleeperCount -= 1
    return true
  }

  /// Rejects further jobs; those already waiting are still taken.
  func close() {
    let sleeperCount = state.withLock { state in
      state.isClosed = true
      defer { state.sleeperCount = 0 }
      return state.sleeperCount
    }
    for _ in 0..<sleeperCount { wakeUp.signal() }
  }

  /// Waits for jobs and takes the oldest, at most `limit`.
  ///
  /// - Parameter timeout: The maximum wait; no limit when `nil`.
  func take(upTo limit: Int, timeout: DispatchTimeInterval? = nil) -> Arrival {
    take(upTo: { _ in limit }, timeout: timeout)
  }

  /// Waits for jobs and takes the oldest.
  ///
  /// - Parameters:
  ///   - limit: The maximum number to take, given the number of waiting jobs.
  ///   - timeout: The maximum wait; no limit when `nil`.
  func take(upTo limit: (_ count: Int) -> Int, timeout: DispatchTimeInterval?) -> Arrival {
    let deadline = timeout.map { DispatchTime.now() + $0 } ?? .distantFuture
    while true {
      if let arrival = takeNow(upTo: limit) { return arrival }
      if wakeUp.wait(timeout: deadline) == .timedOut, withdraw() { return .nothing }
    }
  }

  /// Takes the available jobs, or registers the caller as a sleeper.
  private func takeNow(upTo limit: (_ count: Int) -> Int) -> Arrival? {
    state.withLock { state in
      let others = state.incoming.count + state.outgoing.count
      let limit = limit(state.prompt.count + others)
      var taken: [Job] = []
      if !state.prompt.isEmpty {
        let count = min(state.prompt.count, max(limit / 2, limit - others, 1))
        taken += state.prompt.prefix(count)
        state.prompt.removeFirst(count)
      }
      while taken.count < limit {
        if state.outgoing.isEmpty {
          guard !state.incoming.isEmpty else { break }
          swap(&state.incoming, &state.outgoing)
          state.outgoing.reverse()
        }
        while taken.count < limit, let job = state.outgoing.popLast() { taken.append(job) }
      }
      length.wrappingSubtract(taken.count, ordering: .relaxed)
      if !taken.isEmpty { return .jobs(taken) }
      if state.isClosed { return .end }
      state.sleeperCount += 1
      return nil
    }
  }

  /// Takes the waiting prompt jobs, without blocking.
  func takePrompt() -> [Job] {
    state.withLock { state in
      guard !state.prompt.isEmpty else { return [] }
      var taken: [Job] = []
      swap(&taken, &state.prompt)
      length.wrappingSubtract(taken.count, ordering: .relaxed)
      return taken
    }
  }

  /// Withdraws a registration after a time-out; `false` when a wake-up is already on its way.
  private func withdraw() -> Bool {
    let isWithdrawn = state.withLock { state in
      guard state.sleeperCount > 0 else { return false }
      state.sleeperCount -= 1
      return true
    }
    if !isWithdrawn { wakeUp.wait() }
    return isWithdrawn
  }
}
