import Basics
import Channels
import Dispatch
import Synchronization

/// A fair queue of queries for the threads that run them.
final class QueryQueue: Sendable {
  /// The outcome of a submission.
  enum Admission {
    case accepted
    case principalFull(limit: Int)
    case full
    case closed
  }

  private struct State {
    var queue: FairQueue<QueryPrincipal, QueryJob>
    var sleeperCount = 0
    var isClosed = false
  }

  private let state: Mutex<State>
  private let wakeUp = DispatchSemaphore(value: 0)
  private let perPrincipal: Int

  init(capacity: FairQueue<QueryPrincipal, QueryJob>.Capacity) {
    state = Mutex(State(queue: FairQueue(capacity: capacity)))
    perPrincipal = capacity.perPrincipal
  }

  /// The number of waiting queries.
  var count: Int { state.withLock { $0.queue.count } }

  func submit(_ job: QueryJob, for principal: QueryPrincipal) -> Admission {
    let (admission, mustWake) = state.withLock { state -> (Admission, Bool) in
      guard !state.isClosed else { return (.closed, false) }
      switch state.queue.submit(job, for: principal) {
      case .full: return (.full, false)
      case .principalFull: return (.principalFull(limit: perPrincipal), false)
      case .accepted: break
      }
      guard state.sleeperCount > 0 else { return (.accepted, false) }
      state.sleeperCount -= 1
      return (.accepted, true)
    }
    if mustWake { wakeUp.signal() }
    return admission
  }

  /// Waits for a query and takes it; `nil` once the queue is closed.
  func take() -> (principal: QueryPrincipal, job: QueryJob)? {
    while true {
      let (next, isClosed) = state.withLock { state in
        let next = state.queue.take()
        if next == nil, !state.isClosed { state.sleeperCount += 1 }
        return (next, state.isClosed)
      }
      if next != nil || isClosed { return next }
      wakeUp.wait()
    }
  }

  /// Records the time that a query of a principal took.
  func finish(_ principal: QueryPrincipal, after nanoseconds: UInt64) {
    state.withLock { $0.queue.finish(principal, after: nanoseconds) }
  }

  /// Rejects further queries.
  ///
  /// - Returns: The waiting queries. They could take minutes, and their callers are shutting down.
  func close() -> [QueryJob] {
    let (jobs, sleeperCount) = state.withLock { state in
      state.isClosed = true
      defer { state.sleeperCount = 0 }
      return (state.queue.removeAll(), state.sleeperCount)
    }
    for _ in 0..<sleeperCount { wakeUp.signal() }
    return jobs
  }
}
