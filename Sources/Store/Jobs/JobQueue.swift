import Dispatch
import Synchronization

/// Jobs on their way to a thread of the store: first in, first out, bounded.
///
/// Prompt jobs pass those that wait, but fill half of what is taken at most while others wait too, so
/// that neither kind waits for the other's end.
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
    /// Closed, and nothing is left.
    case end
  }

  // Two stacks make a queue whose both ends cost O(1) and which keeps no job that was taken.
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

  /// Submits a job that passes those that wait, except other prompt ones.
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

  /// Submits jobs behind one another: who waits for them finds them all.
  ///
  /// One taker is woken, however many there are.
  ///
  /// - Returns: How many were accepted, from the first on, and what became of the others.
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

  /// - Returns: Whether a sleeper was taken off the list, and must now be woken.
  private static func callSleeper(of state: inout State) -> Bool {
    guard state.sleeperCount > 0 else { return false }
    state.sleeperCount -= 1
    return true
  }

  /// Refuses further jobs; those that are waiting are still taken.
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
  /// - Parameter timeout: How long to wait at most; for ever when `nil`.
  func take(upTo limit: Int, timeout: DispatchTimeInterval? = nil) -> Arrival {
    take(upTo: { _ in limit }, timeout: timeout)
  }

  /// Waits for jobs and takes the oldest.
  ///
  /// - Parameters:
  ///   - limit: How many to take at most, of how many there are.
  ///   - timeout: How long to wait at most; for ever when `nil`.
  func take(upTo limit: (_ count: Int) -> Int, timeout: DispatchTimeInterval?) -> Arrival {
    let deadline = timeout.map { DispatchTime.now() + $0 } ?? .distantFuture
    while true {
      if let arrival = takeNow(upTo: limit) { return arrival }
      if wakeUp.wait(timeout: deadline) == .timedOut, withdraw() { return .nothing }
    }
  }

  /// Takes what is there, or registers the caller as a sleeper.
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

  /// Takes the prompt jobs that wait, without waiting for any.
  func takePrompt() -> [Job] {
    state.withLock { state in
      guard !state.prompt.isEmpty else { return [] }
      var taken: [Job] = []
      swap(&taken, &state.prompt)
      length.wrappingSubtract(taken.count, ordering: .relaxed)
      return taken
    }
  }

  /// Takes back a registration after a time-out; false when a wake-up is already on its way.
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
