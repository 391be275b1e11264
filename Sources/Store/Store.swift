import Channels
import Logging
import PostgreSQL
import Reactor
import Synchronization

/// The durable half of Parley: one database (SQLite or PostgreSQL), one thread that writes, a few that
/// read.
///
/// Only `init` and `close` block the caller. Work is submitted as entries and reads of a ``MessageLog``
/// or as a ``StoreOperation``. Completions run on the store's threads and must be brief.
///
/// Readers have three lanes. Look-ups by key never wait for queries, which may read many rows. Each
/// query has a time limit, and the principals of queries take turns. Look-ups of files also take turns
/// by principal, on a separate thread.
///
///     entry, StoreWrite ─► queue ──────► writer thread: 1 transaction, 1 fsync ─► completions ─► afterBatch
///     StoreLookup ───────► queue ──────► look-up threads: 1 snapshot each ──────► completion ──► afterBatch
///     StoreQuery ────────► fair queue ─► query threads: 1 snapshot each ────────► completion ──► afterBatch
///     look-up of files ──► fair queue ─► files thread: 1 snapshot each ─────────► completion ──► afterBatch
package final class Store: Sendable {
  private let writeJobs: JobQueue<WriteJob>
  /// Changes made outside the writer; `nil` in a database with one writer.
  private let asideJobs: JobQueue<ControlJob>?
  private let lookUps: JobQueue<ReadJob>
  private let queries: QueryQueue
  private let fileLookUps: QueryQueue
  private let queryCounters = QueryCounters()
  private let counters = StoreCounters()
  private let patience: PostgreSQLPatience
  /// Waits before the next attempt at work that a server could not do at the start; returns `false` when
  /// waiting does not help.
  package let waitForServer: @Sendable (_ reason: String) -> Bool
  private let healthMonitor: HealthMonitor
  private let threads: Mutex<[Reactor.Thread]>
  private let afterBatch: @Sendable () -> Void

  /// Opens the store in a directory, creating both when missing.
  ///
  /// - Throws: `StoreError.locked` when another server uses the directory, `.damaged`,
  ///   `.newerSchema` or `.inaccessible` when the database cannot be used.
  package convenience init(directory: String, options: StoreOptions = StoreOptions()) throws {
    try self.init(.directory(directory), options: options)
  }

  /// Opens the store at a place.
  ///
  /// Waits for a PostgreSQL that cannot be reached, as long as the options say so.
  ///
  /// - Throws: `StoreError.locked` when another server uses the directory, `.damaged`,
  ///   `.newerSchema` or `.inaccessible` when the database cannot be used.
  package init(_ place: StorePlace, options: StoreOptions = StoreOptions()) throws {
    let sessions = try StoreSessions.open(place, options)
    let readers = try Readers(sessions, options)
    let writeJobs = JobQueue<WriteJob>(capacity: options.queueCapacity)
    let health = HealthMonitor(logger: options.logger, options.healthDidChange)
    let writer = try Self.startWriter(
      sessions, jobs: writeJobs, health: health, counters: counters, options: options)
    let asideJobs = sessions.aside.map { _ in
      JobQueue<ControlJob>(capacity: options.queueCapacity)
    }
    let aside = try Self.startAsideWriter(sessions, jobs: asideJobs, options: options)
    let reading = try readers.start(queryCounters, options)
    self.writeJobs = writeJobs
    self.asideJobs = asideJobs
    lookUps = readers.lookUps
    queries = readers.queries
    fileLookUps = readers.fileLookUps
    healthMonitor = health
    threads = Mutex(reading + [writer] + (aside.map { [$0] } ?? []))
    afterBatch = options.afterBatch
    patience = options.patience
    waitForServer =
      switch place {
      case .postgreSQL: options.waitForServer
      case .directory: { _ in false }
      }
  }

  // Does not wait: the last reference may be released on one of the store's own threads.
  deinit {
    writeJobs.close()
    asideJobs?.close()
    closeReading()
  }

  /// Whether the store can write.
  package var health: StoreHealth { healthMonitor.current }

  /// Counts of the store's work so far; takes no lock.
  package var statistics: StoreStatistics {
    counters.snapshot(
      queueLength: writeJobs.count, lookUpQueueLength: lookUps.count + fileLookUps.count,
      queryQueueLength: queries.count, queries: queryCounters)
  }

  /// Submits a job that changes something.
  ///
  /// It shares a transaction with the jobs around it; when it throws, only its own changes are undone.
  /// `completion` runs on the writer thread once the commit has reached the disk, in the order of
  /// submission; or at once, on the caller's thread, with `StoreError.overloaded` or `.closed`.
  /// `StoreError.unavailable` means that nothing of the job was kept, `StoreError.unknown` that all of
  /// it may have been.
  func write<T: Sendable>(
    _ job: @escaping @Sendable (WriteTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    submit(.control(ControlJob(job, completion: completion)))
  }

  /// Submits a small job that a client waits for before it can do anything else: opening a session.
  ///
  /// It is placed ahead of the waiting jobs, so it takes as long as the commit in progress and its own.
  func writePromptly<T: Sendable>(
    _ job: @escaping @Sendable (WriteTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    let job = WriteJob.control(ControlJob(job, completion: completion))
    refuse([job], writeJobs.submitPrompt(job))
  }

  /// Submits a job that is unrelated to messages and is not ordered with the writer's jobs.
  func writeAside<T: Sendable>(
    _ job: @escaping @Sendable (WriteTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    guard let asideJobs else { return write(job, completion: completion) }
    let job = ControlJob(job, completion: completion)
    switch asideJobs.submit(job) {
    case .accepted: return
    case .overloaded: job.fail(StoreError.overloaded)
    case .closed: job.fail(StoreError.closed)
    }
    afterBatch()
  }

  /// Submits the jobs of a batch in order, without another thread's jobs between them, and empties the
  /// batch.
  package func submit(_ batch: inout WriteBatch) {
    guard !batch.isEmpty else { return }
    let jobs = batch.takeAll()
    let (accepted, others) = writeJobs.submit(jobs)
    refuse(jobs[accepted...], others)
  }

  /// Submits a job that finds a few rows by their keys and that a caller waits for.
  ///
  /// It sees every change acknowledged before this call.
  ///
  /// Look-ups run in parallel and may overtake each other. `completion` runs on a reader's thread, or at
  /// once on the caller's with `StoreError.overloaded` or `.closed`.
  func lookUp<T: Sendable>(
    _ job: @escaping @Sendable (ReadTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    let job = ReadJob(job, completion: completion)
    switch lookUps.submit(job) {
    case .accepted: return
    case .overloaded: job.fail(StoreError.overloaded)
    case .closed: job.fail(StoreError.closed)
    }
    afterBatch()
  }

  /// Submits a job that lists or searches.
  ///
  /// It sees every change acknowledged before this call.
  ///
  /// Queries wait for their principal's turn, and return a partial result when their time is up.
  /// `completion` runs on a reader's thread, or at once on the caller's with `StoreError.overloaded`,
  /// `.tooManyQueries` or `.closed`.
  func query<T: Sendable>(
    for principal: QueryPrincipal,
    _ job: @escaping @Sendable (ReadTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>, QueryCost) -> Void
  ) {
    submit(QueryJob(job, completion: completion), to: queries, for: principal)
  }

  /// Submits a look-up that waits for its principal's turn, in parallel with the other look-ups.
  ///
  /// `completion` runs under the same rules as that of a query.
  func lookUpInTurn<T: Sendable>(
    for principal: QueryPrincipal,
    _ job: @escaping @Sendable (ReadTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>, QueryCost) -> Void
  ) {
    submit(QueryJob(job, completion: completion), to: fileLookUps, for: principal)
  }

  private func submit(_ job: QueryJob, to queue: QueryQueue, for principal: QueryPrincipal) {
    switch queue.submit(job, for: principal) {
    case .accepted: return
    case .full: job.fail(StoreError.overloaded, .none)
    case .principalFull(let limit): job.fail(StoreError.tooManyQueries(limit: limit), .none)
    case .closed: job.fail(StoreError.closed, .none)
    }
    afterBatch()
  }

  /// Answers everything submitted so far, moves the log into the database and releases the lock; waiting
  /// queries fail with `StoreError.closed`.
  ///
  /// Blocks until then; must not be called from a completion. Closing again does nothing.
  package func close() {
    writeJobs.close()
    asideJobs?.close()
    closeReading()
    threads.withLock { threads in
      for thread in threads { thread.join() }
      threads = []
    }
  }

  /// Limits how long the store still waits for PostgreSQL.
  ///
  /// The outcome of a commit that is not answered by then is unknown, and nothing more is read or
  /// written.
  package func hurry(within milliseconds: Int64) { patience.end(within: milliseconds) }

  private func closeReading() {
    lookUps.close()
    let abandoned = queries.close() + fileLookUps.close()
    guard !abandoned.isEmpty else { return }
    for job in abandoned { job.fail(StoreError.closed, .none) }
    afterBatch()
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
  private static func startAsideWriter(
    _ sessions: StoreSessions, jobs: JobQueue<ControlJob>?, options: StoreOptions
  ) throws(SystemError) -> Reactor.Thread? {
    guard let use = sessions.aside, let jobs else { return nil }
    return try Reactor.Thread(name: "store-aside") {
      use { session in
        let connection = StoreConnection(
          session, push: options.push.map(Outbox.init), fileURL: options.fileURL)
        AsideWriter(connection: connection, jobs: jobs, afterBatch: options.afterBatch).run()
      }
    }
  }

  private static func startWriter(
    _ sessions: StoreSessions, jobs: JobQueue<WriteJob>, health: HealthMonitor,
    counters: StoreCounters, options: StoreOptions
  ) throws(SystemError) -> Reactor.Thread {
    try Reactor.Thread(name: "store-writer") {
      sessions.writer { session in
        let connection = StoreConnection(
          session, outbox: options.outbox.map(Outbox.init), push: options.push.map(Outbox.init),
          fileURL: options.fileURL)
        Writer(
          connection: connection, files: sessions.files, jobs: jobs, health: health,
          counters: counters, options: options
        ).run()
      }
    }
  }
}
