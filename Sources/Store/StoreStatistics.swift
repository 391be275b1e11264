import Channels
import Synchronization

/// Counts of the store's work since it was opened.
package struct StoreStatistics: Sendable, Hashable {
  /// Commits that succeeded.
  package var batchCount: Int
  /// Commits that failed.
  package var failedBatchCount: Int
  /// Jobs answered after a commit that succeeded.
  package var jobCount: Int
  /// Duration of the last commit (from its first statement to the end of its fsync).
  package var lastCommitNanoseconds: UInt64
  /// Total duration of all commits.
  package var totalCommitNanoseconds: UInt64
  /// Write jobs waiting now.
  package var queueLength: Int
  /// Look-ups waiting now.
  package var lookUpQueueLength: Int
  /// Queries waiting now.
  package var queryQueueLength: Int
  /// Queries run.
  package var queryCount: Int
  /// Queries that returned a partial result because their time was up.
  package var cutShortQueryCount: Int
  /// Total time of all queries.
  package var totalQueryNanoseconds: UInt64
}

/// The counters of queries: written by their threads, read from any thread.
final class QueryCounters: Sendable {
  let count = Atomic<Int>(0)
  let cutShortCount = Atomic<Int>(0)
  let nanoseconds = Atomic<UInt64>(0)

  func record(_ cost: QueryCost) {
    count.wrappingAdd(1, ordering: .relaxed)
    if cost.isCutShort { cutShortCount.wrappingAdd(1, ordering: .relaxed) }
    nanoseconds.wrappingAdd(cost.nanoseconds, ordering: .relaxed)
  }
}

/// The counters of `StoreStatistics`: written by the writer thread, read from any thread.
final class StoreCounters: Sendable {
  private let batches = Atomic<Int>(0)
  private let failedBatches = Atomic<Int>(0)
  private let jobs = Atomic<Int>(0)
  private let lastCommit = Atomic<UInt64>(0)
  private let totalCommit = Atomic<UInt64>(0)

  func recordCommit(nanoseconds: UInt64, jobCount: Int) {
    batches.wrappingAdd(1, ordering: .relaxed)
    jobs.wrappingAdd(jobCount, ordering: .relaxed)
    lastCommit.store(nanoseconds, ordering: .relaxed)
    totalCommit.wrappingAdd(nanoseconds, ordering: .relaxed)
  }

  func recordFailure() {
    failedBatches.wrappingAdd(1, ordering: .relaxed)
  }

  func snapshot(
    queueLength: Int, lookUpQueueLength: Int, queryQueueLength: Int, queries: QueryCounters
  ) -> StoreStatistics {
    StoreStatistics(
      batchCount: batches.load(ordering: .relaxed),
      failedBatchCount: failedBatches.load(ordering: .relaxed),
      jobCount: jobs.load(ordering: .relaxed),
      lastCommitNanoseconds: lastCommit.load(ordering: .relaxed),
      totalCommitNanoseconds: totalCommit.load(ordering: .relaxed),
      queueLength: queueLength, lookUpQueueLength: lookUpQueueLength,
      queryQueueLength: queryQueueLength,
      queryCount: queries.count.load(ordering: .relaxed),
      cutShortQueryCount: queries.cutShortCount.load(ordering: .relaxed),
      totalQueryNanoseconds: queries.nanoseconds.load(ordering: .relaxed))
  }
}
