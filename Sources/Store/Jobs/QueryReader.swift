import Dispatch

/// Runs queries on a thread, one at a time, each in a transaction and with a time limit of its own.
struct QueryReader {
  let connection: StoreConnection
  let jobs: QueryQueue
  let counters: QueryCounters
  /// Milliseconds that a query may look; 0 for no limit.
  let timeLimit: Int
  let afterRead: @Sendable () -> Void

  func run() {
    while let (principal, job) = jobs.take() {
      let start = DispatchTime.now().uptimeNanoseconds
      let time = timeLimit > 0 ? QueryTime(nanoseconds: UInt64(timeLimit) * 1_000_000) : nil
      let report = perform(job, time)
      let used = DispatchTime.now().uptimeNanoseconds - start
      jobs.finish(principal, after: used)
      let cost = QueryCost(nanoseconds: used, isCutShort: time?.isOver ?? false)
      counters.record(cost)
      report(cost)
      afterRead()
    }
  }

  private func perform(_ job: QueryJob, _ time: QueryTime?) -> (QueryCost) -> Void {
    do {
      try connection.session.beginReading()
      defer { connection.rollback() }
      return try job.perform(ReadTransaction(connection: connection, time: time))
    } catch {
      let failure = error.storageFailure.map { StoreError.unavailable(reason: $0) } ?? error
      return { job.fail(failure, $0) }
    }
  }
}
