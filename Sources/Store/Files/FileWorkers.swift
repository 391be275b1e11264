import Reactor
import Synchronization

/// Threads that wait for the disk, so that no event loop does.
///
/// Jobs of one ``FileWorkers/Lane`` run one after another, jobs of different lanes in parallel: no file
/// waits for another's disk writes as long as a thread is free.
final class FileWorkers: Sendable {
  private let lanes = JobQueue<Lane>(capacity: 65_536)
  private let threads: Mutex<[Reactor.Thread]>
  private let diskTurn = Mutex(())

  /// Jobs that run in order.
  final class Lane: Sendable {
    private struct State {
      var jobs: [FileJob] = []
      var isQueued = false
    }

    private let state = Mutex(State())
    private let workers: FileWorkers

    fileprivate init(_ workers: FileWorkers) {
      self.workers = workers
    }

    /// Submits a job.
    ///
    /// - Returns: Whether the job will run.
    func submit(_ job: @escaping FileJob) -> Bool {
      let mustQueue = state.withLock { state in
        state.jobs.append(job)
        guard !state.isQueued else { return false }
        state.isQueued = true
        return true
      }
      guard mustQueue, workers.lanes.submit(self) != .accepted else { return true }
      state.withLock { state in
        _ = state.jobs.popLast()
        state.isQueued = false
      }
      return false
    }

    /// Runs the queued jobs, then queues the lane after the other lanes for jobs added in the meantime:
    /// a file that arrives fast does not occupy a thread permanently.
    fileprivate func work() {
      repeat {
        var jobs: [FileJob] = []
        state.withLock { swap(&jobs, &$0.jobs) }
        for job in jobs { job() }
      } while mustGoOn()
    }

    /// Whether jobs remain that no other thread will run.
    private func mustGoOn() -> Bool {
      let isDone = state.withLock { state in
        if state.jobs.isEmpty { state.isQueued = false }
        return state.jobs.isEmpty
      }
      return !isDone && workers.lanes.submit(self) != .accepted
    }
  }

  init(threadCount: Int) throws(SystemError) {
    let lanes = lanes
    var started: [Reactor.Thread] = []
    for _ in 0..<threadCount {
      started.append(
        try Reactor.Thread(name: "file-writer") {
          while case .jobs(let taken) = lanes.take(upTo: 1) {
            for lane in taken { lane.work() }
          }
        })
    }
    threads = Mutex(started)
  }

  deinit {
    lanes.close()
  }

  func makeLane() -> Lane { Lane(self) }

  /// Runs work that keeps the disk busy, one piece at a time.
  ///
  /// When a disk has a queue of large writes, the log of messages waits until all of them are done.
  func takeTurnAtDisk(_ work: () -> Void) {
    diskTurn.withLock { _ in work() }
  }

  /// Closes the workers after all submitted jobs; blocks until then.
  func close() {
    lanes.close()
    threads.withLock { threads in
      for thread in threads { thread.join() }
      threads = []
    }
  }
}
