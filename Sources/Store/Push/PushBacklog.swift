/// The number of jobs of a share, and the age of the first.
package struct PushBacklog: Sendable, Hashable {
  /// Counted up to 100,000.
  package var count: Int
  /// The time of the message of the job that is due first, in Unix milliseconds; `nil` without jobs.
  package var oldest: Int64?

  package init(count: Int, oldest: Int64? = nil) {
    self.count = count
    self.oldest = oldest
  }
}

/// Counts the push jobs of a share, which takes time for each of them.
package struct PushBacklogCount: StoreQuery {
  /// The number of jobs up to which they are counted.
  private static let limit = 100_000

  package var share: OutboxShare

  package init(in share: OutboxShare) { self.share = share }

  package var statements: ReadStatements<PushBacklog> {
    .init { transaction in
      let lanes = StoreValue.integers(share.lanes.map { Int64($0.number) })
      let backlog = try transaction.connection.first(Self.statement, [lanes, Self.limit]) {
        PushBacklog(count: $0[0], oldest: $0[1])
      }
      return backlog ?? PushBacklog(count: 0)
    }
  }

  private static let statement = StoreStatement(
    sqlite: """
      SELECT
        (SELECT count(*) FROM (SELECT 1 FROM push_jobs INDEXED BY push_jobs_by_time LIMIT ?2)),
        (SELECT created_at FROM push_jobs INDEXED BY push_jobs_by_time
          ORDER BY due_at, job_id LIMIT 1)
      """,
    postgreSQL: """
      SELECT
        (SELECT count(*) FROM (
          SELECT 1 FROM push_jobs WHERE lane = ANY (?1::bigint[]) LIMIT ?2) AS counted),
        (SELECT j.created_at FROM unnest(?1::bigint[]) AS l (lane) CROSS JOIN LATERAL (
          SELECT due_at, job_id, created_at FROM push_jobs WHERE push_jobs.lane = l.lane
          ORDER BY due_at, job_id LIMIT 1) AS j
          ORDER BY j.due_at, j.job_id LIMIT 1)
      """)
}
