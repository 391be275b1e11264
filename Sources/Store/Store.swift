import GRDB
import Logging
import Reactor
import Synchronization

/// The durable half of Parley: one SQLite database, one thread that writes, a few that read.
///
/// Nothing here blocks the caller but `init` and `close`: work is submitted as jobs whose
/// completions run on the store's threads, and must be brief.
///
///     write, append ─► queue ─► writer thread: 1 transaction, 1 fsync ─► completions ─► afterBatch
///     read ──────────► queue ─► reader threads: 1 snapshot each ──────► completion ──► afterBatch
package final class Store: Sendable {
  private let writeJobs: JobQueue<WriteJob>
  private let readJobs: JobQueue<ReadJob>
  private let counters = StoreCounters()
  private let healthMonitor: HealthMonitor
  private let threads: Mutex<[Reactor.Thread]>
  private let afterBatch: @Sendable () -> Void

  /// Opens the store in a directory, creating both when missing.
  ///
  /// - Throws: `StoreError.locked` when another server uses the directory, `.damaged`,
  ///   `.newerSchema` or `.inaccessible` when the database cannot be used.
  package init(directory: String, options: StoreOptions = StoreOptions()) throws {
    try DataDirectory.create(directory)
    let lock = try DirectoryLock(directory: directory)
    let path = directory + "/parley.sqlite"
    let writing = try DatabaseFile.openForWriting(path)
    let reading = try (0..<max(1, options.readerCount)).map { _ in
      try DatabaseFile.openForReading(path)
    }
    let writeJobs = JobQueue<WriteJob>(capacity: options.queueCapacity)
    let readJobs = JobQueue<ReadJob>(capacity: options.queueCapacity)
    let health = HealthMonitor(logger: options.logger)
    let writer = try Self.startWriter(
      writing, lock: lock, files: FileDirectory(dataDirectory: directory), jobs: writeJobs,
      health: health, counters: counters, options: options)
    let readers = try reading.map { try Self.startReader($0, jobs: readJobs, options: options) }
    self.writeJobs = writeJobs
    self.readJobs = readJobs
    healthMonitor = health
    threads = Mutex(readers + [writer])
    afterBatch = options.afterBatch
  }

  // Does not wait: the last reference may go on one of the store's own threads.
  deinit {
    writeJobs.close()
    readJobs.close()
  }

  /// Whether the store can write.
  package var health: StoreHealth { healthMonitor.current }

  /// What the store has done so far; takes no lock.
  package var statistics: StoreStatistics {
    counters.snapshot(queueLength: writeJobs.count, readQueueLength: readJobs.count)
  }

  /// Submits a job that changes something.
  ///
  /// It shares a transaction with the jobs around it; when it throws, its own changes alone are
  /// undone. `completion` runs on the writer thread once the commit has reached the disk, in the
  /// order of submission; or at once, on the caller's thread, with `StoreError.overloaded` or
  /// `.closed`. `StoreError.unavailable` means that nothing of the job was kept.
  package func write<T: Sendable>(
    _ job: @escaping @Sendable (WriteTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    submit(.control(ControlJob(job, completion: completion)))
  }

  /// Submits a message; the same as a `write` of its own, at less cost.
  package func append(
    _ message: NewMessage,
    completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
  ) {
    submit(.append(message, completion))
  }

  /// Submits what a batch has gathered, in its order and without another thread's jobs between, and
  /// empties it.
  package func submit(_ batch: inout WriteBatch) {
    guard !batch.isEmpty else { return }
    let jobs = batch.takeAll()
    let (accepted, others) = writeJobs.submit(jobs)
    refuse(jobs[accepted...], others)
  }

  /// Submits a job that reads: it sees every change acknowledged before this call.
  ///
  /// Reads run side by side and may overtake each other. `completion` runs on a reader thread, or
  /// at once on the caller's with `StoreError.overloaded` or `.closed`.
  package func read<T: Sendable>(
    _ job: @escaping @Sendable (ReadTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    let job = ReadJob(job, completion: completion)
    switch readJobs.submit(job) {
    case .accepted: return
    case .overloaded: job.fail(StoreError.overloaded)
    case .closed: job.fail(StoreError.closed)
    }
    afterBatch()
  }

  /// Answers everything submitted so far, moves the log into the database and gives up the lock.
  ///
  /// Blocks meanwhile; must not be called from a completion. Closing again does nothing.
  package func close() {
    writeJobs.close()
    readJobs.close()
    threads.withLock { threads in
      for thread in threads { thread.join() }
      threads = []
    }
  }

  func submit(_ job: WriteJob) {
    refuse([job], writeJobs.submit(job))
  }

  private func refuse(_ jobs: some Collection<WriteJob>, _ admission: JobQueue<WriteJob>.Admission)
  {
    switch admission {
    case .accepted: return
    case .overloaded: jobs.forEach { $0.fail(.overloaded) }
    case .closed: jobs.forEach { $0.fail(.closed) }
    }
    afterBatch()
  }
}

extension Store {
  /// The connection stays on its thread for good: the thread works inside its one access.
  private static func startWriter(
    _ queue: DatabaseQueue, lock: DirectoryLock, files: FileDirectory, jobs: JobQueue<WriteJob>,
    health: HealthMonitor, counters: StoreCounters, options: StoreOptions
  ) throws(SystemError) -> Reactor.Thread {
    try Reactor.Thread(name: "store-writer") {
      queue.inDatabase { database in
        let connection = StoreConnection(
          database, outbox: options.outbox.map(Outbox.init), filesBase: options.filesBase)
        Writer(
          connection: connection, files: files, jobs: jobs, health: health, counters: counters,
          options: options
        ).run()
        connection.checkpoint()
      }
      close(queue, options)
      lock.release()
    }
  }

  private static func startReader(
    _ queue: DatabaseQueue, jobs: JobQueue<ReadJob>, options: StoreOptions
  ) throws(SystemError) -> Reactor.Thread {
    try Reactor.Thread(name: "store-reader") {
      queue.inDatabase { database in
        Reader(
          connection: StoreConnection(database, filesBase: options.filesBase), jobs: jobs,
          afterRead: options.afterBatch
        ).run()
      }
      close(queue, options)
    }
  }

  private static func close(_ queue: DatabaseQueue, _ options: StoreOptions) {
    do {
      try queue.close()
    } catch {
      options.logger.warning("a database connection did not close", metadata: ["error": "\(error)"])
    }
  }
}
