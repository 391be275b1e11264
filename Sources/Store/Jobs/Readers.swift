import Basics
import Channels
import Dispatch
import Glibc
import Reactor

/// The connections that read, and their queues.
struct Readers {
  let lookUps: JobQueue<ReadJob>
  let queries: QueryQueue
  /// Look-ups of files, which take turns by principal.
  let fileLookUps: QueryQueue
  private let lookUpConnections: [StoreSessions.Use]
  private let queryConnections: [StoreSessions.Use]
  private let fileConnections: [StoreSessions.Use]

  init(_ sessions: StoreSessions, _ options: StoreOptions) throws {
    lookUps = JobQueue(capacity: options.queueCapacity)
    queries = QueryQueue(
      capacity: .init(
        total: options.queryCapacity, perPrincipal: options.queryCapacityPerPrincipal))
    fileLookUps = QueryQueue(
      capacity: .init(
        total: options.queryCapacity, perPrincipal: options.fileLookUpCapacityPerPrincipal))
    lookUpConnections = try Self.open(sessions, options.lookUpReaderCount)
    queryConnections = try Self.open(sessions, options.queryReaderCount)
    fileConnections = try Self.open(sessions, 1)
  }

  private static func open(
    _ sessions: StoreSessions, _ count: Int
  ) throws -> [StoreSessions.Use] {
    try (0..<max(1, count)).map { _ in try sessions.reader() }
  }

  /// Starts a thread for each connection.
  func start(
    _ counters: QueryCounters, _ options: StoreOptions
  ) throws(SystemError) -> [Reactor.Thread] {
    var threads: [Reactor.Thread] = []
    for connection in lookUpConnections {
      threads.append(
        try Self.thread("store-lookup", connection, options) { [lookUps] in
          Reader(connection: $0, jobs: lookUps, afterRead: options.afterBatch).run()
        })
    }
    for connection in queryConnections {
      threads.append(try Self.thread("store-query", connection, queries, counters, options))
    }
    for connection in fileConnections {
      threads.append(
        try Self.thread("store-files", connection, fileLookUps, QueryCounters(), options))
    }
    return threads
  }

  private static func thread(
    _ name: String, _ connection: @escaping StoreSessions.Use, _ queries: QueryQueue,
    _ counters: QueryCounters, _ options: StoreOptions
  ) throws(SystemError) -> Reactor.Thread {
    try thread(name, connection, options) {
      yieldToOthers()
      return QueryReader(
        connection: $0, jobs: queries, counters: counters,
        timeLimit: options.queryMilliseconds, afterRead: options.afterBatch
      ).run()
    }
  }

  /// Gives the event loops, the writer and look-ups priority when all processors are busy.
  ///
  /// A search can occupy a whole processor. On Linux the call applies to the calling thread only.
  private static func yieldToOthers() {
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
  }

  private static func thread(
    _ name: String, _ use: @escaping StoreSessions.Use, _ options: StoreOptions,
    _ body: @escaping @Sendable (StoreConnection) -> Void
  ) throws(SystemError) -> Reactor.Thread {
    try Reactor.Thread(name: name) {
      use { body(StoreConnection($0, fileURL: options.fileURL)) }
    }
  }
}

/// One submission to the reader threads, its result type erased.
struct ReadJob: Sendable {
  /// Runs the job and reports its success.
  let perform: @Sendable (ReadTransaction) throws -> Answer
  /// Reports a failure.
  let fail: @Sendable (any Error) -> Void

  init<T: Sendable>(
    _ job: @escaping @Sendable (ReadTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    perform = { transaction in
      let value = try job(transaction)
      return { completion(.success(value)) }
    }
    fail = { completion(.failure($0)) }
  }
}

/// Runs a reader thread: one job at a time, each in a transaction of its own.
///
/// In WAL mode a transaction sees every commit made before its first read, so a read sees everything
/// acknowledged before it was submitted.
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
      try connection.inSnapshot { try job.perform(ReadTransaction(connection: connection))() }
    } catch {
      job.fail(error.storageFailure.map { StoreError.unavailable(reason: $0) } ?? error)
    }
  }
}

/// One query submitted to the query threads, its result type erased.
struct QueryJob: Sendable {
  /// Runs the query; the returned closure reports the success.
  let perform: @Sendable (ReadTransaction) throws -> (QueryCost) -> Void
  /// Reports a failure.
  let fail: @Sendable (any Error, QueryCost) -> Void

  init<T: Sendable>(
    _ job: @escaping @Sendable (ReadTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>, QueryCost) -> Void
  ) {
    perform = { transaction in
      let value = try job(transaction)
      return { completion(.success(value), $0) }
    }
    fail = { completion(.failure($0), $1) }
  }
}

/// Runs queries on a thread, one at a time, each in a transaction and with a time limit of its own.
struct QueryReader {
  let connection: StoreConnection
  let jobs: QueryQueue
  let counters: QueryCounters
  /// Time limit of a query in milliseconds; 0 for no limit.
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
      return try connection.inSnapshot {
        try job.perform(ReadTransaction(connection: connection, time: time))
      }
    } catch {
      let failure = error.storageFailure.map { StoreError.unavailable(reason: $0) } ?? error
      return { job.fail(failure, $0) }
    }
  }
}
