/// The jobs of a share that are due, and the state of the others.
package struct PushJobs: Sendable, Hashable {
  /// The jobs that are due, in the order of their ids; those that have waited longest if there are more than
  /// the limit.
  package var jobs: [PushJob]
  /// The time at which another job is due, in Unix milliseconds; `nil` when none waits for its time.
  package var nextDue: Int64?
  /// The lanes of the share that another server has claimed; no job is one of theirs.
  package var lost: [OutboxHold]
}

/// Reads the push jobs that are due.
package struct PushJobReading: StoreQuery {
  /// Unix milliseconds.
  package var time: Int64
  package var share: OutboxShare
  /// The maximum number of jobs.
  package var limit: Int
  /// Jobs to leave out: those that are being worked on.
  package var excludedIDs: [Int64]

  package init(
    at now: Int64, in share: OutboxShare, limit: Int, except excludedIDs: [Int64] = []
  ) {
    time = now
    self.share = share
    self.limit = limit
    self.excludedIDs = excludedIDs
  }

  package var statements: ReadStatements<PushJobs> {
    .init { try $0.pushJobs(self) }
  }
}

extension ReadTransaction {
  fileprivate func pushJobs(_ reading: PushJobReading) throws -> PushJobs {
    let lost = try lostLanes(of: reading.share, in: .push, locking: "")
    let lanes = StoreValue.integers(reading.share.without(lost).lanes.map { Int64($0.number) })
    let jobs = try connection.all(
      Self.dueJobs,
      [lanes, reading.time, reading.limit, StoreValue.integers(reading.excludedIDs)]
    ) { try PushJob(row: $0) }
    let nextDue = try connection.first(Self.nextDue, [lanes, reading.time]) { $0[0] as Int64? }
    return PushJobs(
      jobs: jobs.sorted { $0.id < $1.id }, nextDue: nextDue ?? nil, lost: lost)
  }

  /// PostgreSQL reads the first jobs of each lane by the index; SQLite has no lanes.
  private static let dueJobs = StoreStatement(
    sqlite: """
      SELECT \(PushJob.columns.sqlite)
      FROM push_jobs AS j INDEXED BY push_jobs_by_time
      LEFT JOIN channels AS c ON c.channel_id = j.channel_id
      WHERE j.due_at <= ?2 AND j.job_id NOT IN (SELECT value FROM json_each(?4))
      ORDER BY j.due_at, j.job_id LIMIT ?3
      """,
    postgreSQL: """
      SELECT \(PushJob.columns.postgreSQL)
      FROM unnest(?1::bigint[]) AS l (lane) CROSS JOIN LATERAL (
        SELECT * FROM push_jobs
        WHERE push_jobs.lane = l.lane AND due_at <= ?2 AND job_id <> ALL (?4::bigint[])
        ORDER BY due_at, job_id LIMIT ?3) AS j
      LEFT JOIN channels AS c ON c.channel_id = j.channel_id
      ORDER BY j.due_at, j.job_id LIMIT ?3
      """)

  private static let nextDue = StoreStatement(
    sqlite: """
      SELECT min(due_at) FROM push_jobs INDEXED BY push_jobs_by_time WHERE due_at > ?2
      """,
    postgreSQL: """
      SELECT min(j.due_at) FROM unnest(?1::bigint[]) AS l (lane) CROSS JOIN LATERAL (
        SELECT due_at FROM push_jobs WHERE push_jobs.lane = l.lane AND due_at > ?2
        ORDER BY due_at LIMIT 1) AS j
      """)
}

extension OutboxShare {
  /// The lanes of the share.
  var lanes: [OutboxLane] {
    switch self {
    case .everything: OutboxLanes.all.sorted
    case .lanes(let holds): holds.map(\.lane)
    }
  }
}
