package import Logging

/// How a store is opened; the defaults suit a server.
package struct StoreOptions: Sendable {
  /// Changes of health are logged here, once each.
  package var logger: Logger
  /// Most jobs that may wait, for writing and for reading each.
  package var queueCapacity = 65_536
  /// Most jobs that share one commit.
  package var batchLimit = 1_000
  /// Threads for reading, each with a connection of its own.
  package var readerCount = 2
  /// Wait between two tries to write while the store is failing.
  package var probeIntervalMilliseconds = 1_000
  /// Which events are kept for webhooks; `nil` for none.
  package var outbox: OutboxOptions?
  /// Base of the addresses of uploaded files, without a slash at its end; `nil` leaves each file the
  /// base that the request with it named.
  package var filesBase: String?
  /// Called on the writer thread after each commit: its duration in nanoseconds, its jobs.
  package var onCommit: @Sendable (_ durationNanoseconds: UInt64, _ jobCount: Int) -> Void
  /// Called after completions, on their thread: after all of a batch, of a read, of a refusal.
  package var afterBatch: @Sendable () -> Void

  package init(
    logger: Logger = Logger(label: "parley.store"), outbox: OutboxOptions? = nil,
    filesBase: String? = nil,
    onCommit: @escaping @Sendable (UInt64, Int) -> Void = { _, _ in },
    afterBatch: @escaping @Sendable () -> Void = {}
  ) {
    self.logger = logger
    self.outbox = outbox
    self.filesBase = filesBase
    self.onCommit = onCommit
    self.afterBatch = afterBatch
  }
}
