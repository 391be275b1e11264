import SQLite
import Glibc
import Reactor

/// The connections that read, and the two queues before them.
struct Readers {
  let lookUps: JobQueue<ReadJob>
  let queries: QueryQueue
  private let lookUpConnections: [SharedDatabase]
  private let queryConnections: [SharedDatabase]

  init(_ path: String, _ options: StoreOptions) throws {
    lookUps = JobQueue(capacity: options.queueCapacity)
    queries = QueryQueue(
      capacity: .init(
        total: options.queryCapacity, perPrincipal: options.queryCapacityPerPrincipal))
    lookUpConnections = try Self.open(path, options.lookUpReaderCount)
    queryConnections = try Self.open(path, options.queryReaderCount)
  }

  private static func open(_ path: String, _ count: Int) throws -> [SharedDatabase] {
    try (0..<max(1, count)).map { _ in try DatabaseFile.openForReading(path) }
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
      threads.append(
        try Self.thread("store-query", connection, options) { [queries] in
          Self.yieldToOthers()
          return QueryReader(
            connection: $0, jobs: queries, counters: counters,
            timeLimit: options.queryMilliseconds, afterRead: options.afterBatch
          ).run()
        })
    }
    return threads
  }

  /// Lets the event loops, the writer and look-ups go first when all processors are busy.
  ///
  /// A search can take a whole processor. On Linux the call is for the calling thread alone.
  private static func yieldToOthers() {
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
  }

  /// The connection stays on its thread for good: the thread works inside its one access.
  private static func thread(
    _ name: String, _ shared: SharedDatabase, _ options: StoreOptions,
    _ body: @escaping @Sendable (StoreConnection) -> Void
  ) throws(SystemError) -> Reactor.Thread {
    try Reactor.Thread(name: name) {
      shared.withDatabase {
        body(StoreConnection(SQLiteSession($0), filesBase: options.filesBase))
        $0.close()
      }
    }
  }
}
