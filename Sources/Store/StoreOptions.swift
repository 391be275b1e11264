import Glibc
package import Logging
import PostgreSQL

/// How a store is opened; the defaults suit a server.
package struct StoreOptions: Sendable {
  package typealias FileURL = @Sendable (_ stored: String, _ fileID: String) -> String

  /// Changes of health are logged here, once each.
  package var logger: Logger
  /// Most jobs that may wait, for writing and for look-ups each.
  package var queueCapacity = 65_536
  /// Most jobs that share one commit.
  package var batchLimit = 1_000
  /// Time after which a commit takes no further job, so that prompt jobs come in between.
  package var transactionMilliseconds = 200
  /// Threads for look-ups by key, each with a connection of its own.
  package var lookUpReaderCount = 2
  /// Threads for queries, each with a connection of its own.
  package var queryReaderCount = 2
  /// Milliseconds that a query may look before it answers with what it has; 0 for no limit.
  package var queryMilliseconds = 100
  /// Most queries that may wait, in all and for one principal.
  package var queryCapacity = 4_096
  package var queryCapacityPerPrincipal = 128
  /// Most look-ups of files that may wait for one principal.
  package var fileLookUpCapacityPerPrincipal = 1_024
  /// Wait between two tries to write while the store is failing.
  package var probeIntervalMilliseconds = 1_000
  /// Milliseconds for which writes wait for a PostgreSQL that was lost, before they fail; 0 to fail at once.
  package var outageMilliseconds = 0
  /// Which events are kept for webhooks; `nil` for none.
  package var outbox: OutboxOptions?
  /// The place that the files of removed messages are removed from; `nil` for the directory of a
  /// database in SQLite, and for none with PostgreSQL.
  package var files: (any FileDepot)?
  /// Composes the address of an uploaded file that is shown, of the stored one and the file's id.
  package var fileURL: FileURL
  /// Whether other servers write to the database too; only PostgreSQL has more than one.
  package var sharing = StoreSharing.alone
  /// Waits before another attempt to reach PostgreSQL at the start, for the reason given; `false` gives
  /// up.
  package var waitForServer: @Sendable (_ reason: String) -> Bool = { _ in
    usleep(500_000)
    return true
  }
  /// Time limits of sessions with PostgreSQL.
  package var sessionLimits = PostgreSQLLimits()
  /// Ends all waiting for PostgreSQL, when it ends.
  let patience = PostgreSQLPatience()
  /// Called on the writer thread after each commit: its duration in nanoseconds, its jobs.
  package var onCommit: @Sendable (_ durationNanoseconds: UInt64, _ jobCount: Int) -> Void
  /// Called on the writer thread when it has connected anew to a database whose connection was lost.
  package var didReconnect: @Sendable () -> Void = {}
  /// Called with each change of health, on the thread that has noticed it.
  package var healthDidChange: @Sendable (StoreHealth) -> Void = { _ in }
  /// Called after completions, on their thread: after all of a batch, of a read, of a refusal.
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
