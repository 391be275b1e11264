/// Runs a reader thread: one job at a time, each in a transaction of its own.
///
/// In WAL mode a transaction sees every commit made before its first read, so a read sees all that
/// was acknowledged before it was submitted.
struct Reader {
  let connection: StoreConnection
  let jobs: JobQueue<ReadJob>
  let afterRead: @Sendable () -> Void

  func run() {
    while case .jobs(let taken) = jobs.take(upTo: 1) {
      for job in taken { answer(job) }
      afterRead()
    }
  }

  private func answer(_ job: ReadJob) {
    do {
      try connection.session.beginReading()
      defer { connection.rollback() }
      let report = try job.perform(ReadTransaction(connection: connection))
      report()
    } catch {
      job.fail(error.storageFailure.map { StoreError.unavailable(reason: $0) } ?? error)
    }
  }
}
