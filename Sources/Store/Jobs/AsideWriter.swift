/// Makes changes unrelated to messages, on a connection of its own.
///
/// Servers that share a database wait for each other's rows on this connection, so messages never wait
/// for them. Each job is a transaction. Confined to its thread.
struct AsideWriter {
  let connection: StoreConnection
  let jobs: JobQueue<ControlJob>
  let afterBatch: @Sendable () -> Void

  private static let batchLimit = 16
  /// The number of attempts when another server's transaction or a lost connection undoes a job.
  private static let tries = 4

  /// Runs jobs until the queue is closed and empty.
  func run() {
    while true {
      switch jobs.take(upTo: Self.batchLimit) {
      case .jobs(let jobs):
        for job in jobs { perform(job) }
        afterBatch()
      case .nothing: continue
      case .end: return
      }
    }
  }

  private func perform(_ job: ControlJob) {
    for attempt in 1...Self.tries {
      connection.rollBackArrivals()
      do {
        let answer = try connection.inTransaction {
          try job.perform(WriteTransaction(connection: connection))
        }
        connection.announceArrivals()
        return answer()
      } catch let failure as CommitFailure {
        return job.fail(StoreError.unknown(reason: failure.reason))
      } catch  where error.mayPass && attempt < Self.tries {
        continue
      } catch {
        return job.fail(error)
      }
    }
  }
}
