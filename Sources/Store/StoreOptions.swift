import Glibc
package import Logging
import PostgreSQL

/// The options of a store; the defaults suit a server.
package struct StoreOptions: Sendable {
  package typealias FileURL = @Sendable (_ stored: String, _ fileID: String) -> String

  /// Changes of health are logged here, once each.
  package var logger: Logger
  /// Maximum number of waiting jobs, for writing and for look-ups each.
  package var queueCapacity = 65_536
  /// Maximum number of jobs that share one commit.
  package var batchLimit = 1_000
  /// Time after which a commit takes no further jobs, so that prompt jobs can run in between.
  package var transactionMilliseconds = 200
  /// Threads for look-ups by key, each with a connection of its own.
  package var lookUpReaderCount = 2
  /// Threads for queries, each with a connection of its own.
  package var queryReaderCount = 2
  /// Time limit of a query in milliseconds, after which it returns a partial result; 0 for no limit.
  package var queryMilliseconds = 100
  /// Maximum number of waiting queries, in total and for one principal.
  package var queryCapacity = 4_096
  package var queryCapacityPerPrincipal = 128
  /// Maximum number of waiting look-ups of files for one principal.
  package var fileLookUpCapacityPerPrincipal = 1_024
  /// Wait between two attempts to write while the store is failing.
  package var probeIntervalMilliseconds = 1_000
  /// Milliseconds for which writes wait for a lost PostgreSQL before they fail; 0 to fail at once.
  package var outageMilliseconds = 0
  /// Which events are kept for webhooks; `nil` for none.
  package var outbox: OutboxOptions?
  /// The push jobs of messages; `nil` for none.
  package var push: PushJobOptions?
  /// The storage from which the files of removed messages are deleted; `nil` for the directory of a
  /// SQLite database, and for none with PostgreSQL.
  package var files: (any FileDepot)?
  /// Composes the shown address of an uploaded file from the stored address and the file's id.
  package var fileURL: FileURL
  /// Whether other servers write to the database too; only PostgreSQL has more than one.
  package var sharing = StoreSharing.alone
  /// Waits before another attempt to reach PostgreSQL at the start, for the given reason; `false` stops
  /// trying.
  package var waitForServer: @Sendable (_ reason: String) -> Bool = { _ in
    usleep(500_000)
    return true
  }
  /// Time limits of sessions with PostgreSQL.
  package var sessionLimits = PostgreSQLLimits()
  /// Ends all waiting for PostgreSQL when it ends.
  let patience = PostgreSQLPatience()
  /// Called on the writer thread after each commit: its duration in nanoseconds, its jobs.
  package var onCommit: @Sendable (_ durationNanoseconds: UInt64, _ jobCount: Int) -> Void
  /// Called on the writer thread when it has reconnected to a database.
  package var didReconnect: @Sendable () -> Void = {}
  /// Called with each change of health, on the thread that detected it.
  package var healthDidChange: @Sendable (StoreHealth) -> Void = { _ in }
  /// Called after the completions of a batch, a read or a refusal, on their thread.
  package var afterBatch: @Sendable () -> Void

  package init(
    logger: Logger = Logger(label: "parley.store"), outbox: OutboxOptions? = nil,
    fileURL: @escaping FileURL = { stored, _ in stored },
    onCommit: @escaping @Sendable (UInt64, Int) -> Void = { _, _ in },
    afterBatch: @escaping @Sendable () -> Void = {}
  ) {
    self.logger = logger
    self.outbox = outbox
    self.fileURL = fileURL
    self.onCommit = onCommit
    self.afterBatch = afterBatch
  }
}
