/// Records what has become of push jobs.
///
/// Outcome: the lanes of the share that another server has claimed; nothing is written for their jobs.
package struct PushProgress: StoreWrite {
  /// The jobs that are done, which are removed.
  package var finished: [Int64]
  /// The jobs that go on: their next members, time and number of failures replace those that are stored.
  package var advanced: [PushJob]
  /// New jobs; their ids have no meaning.
  package var waiting: [PushJob]
  /// The numbers of tokens that their services do not know any more, which are removed.
  package var forgotten: [Int64]
  /// The numbers of tokens whose services have accepted a push.
  ///
  /// A time less than a minute after the stored one is not written.
  package var delivered: [Int64]
  /// Unix milliseconds.
  package var time: Int64
  package var share: OutboxShare

  package init(
    finished: [Int64], advanced: [PushJob] = [], waiting: [PushJob] = [], forgotten: [Int64] = [],
    delivered: [Int64] = [], at now: Int64, in share: OutboxShare
  ) {
    self.finished = finished
    self.advanced = advanced
    self.waiting = waiting
    self.forgotten = forgotten
    self.delivered = delivered
    time = now
    self.share = share
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<[OutboxHold]> {
    .init { try $0.record(self) }
  }
}

extension WriteTransaction {
  fileprivate func record(_ progress: PushProgress) throws -> [OutboxHold] {
    let lost = try keepLanes(of: progress.share, in: .push)
    let lanes = OutboxLanes(lost.map(\.lane))
    if !progress.finished.isEmpty {
      try connection.executeLater(
        "DELETE FROM push_jobs WHERE job_id \(.isAnyOf) AND lane \(.isNoneOf)",
        [
          StoreValue.integers(progress.finished),
          StoreValue.integers(lanes.sorted.map { Int64($0.number) }),
        ])
    }
    for job in progress.advanced where !lanes.contains(job.lane) {
      try connection.executeLater(
        "UPDATE push_jobs SET after_id = ?, due_at = ?, failures = ? WHERE job_id = ?",
        [job.scope.afterID, job.dueAt, job.failures, job.id])
    }
    for job in progress.waiting where !lanes.contains(job.lane) { try queue(job) }
    if !progress.delivered.isEmpty {
      try connection.executeLater(
        """
        UPDATE push_tokens SET last_success_at = ?1
        WHERE last_success_at <= ?1 - ?2 AND token_id \(.isAnyOf)
        """,
        [progress.time, seenIntervalMilliseconds, StoreValue.integers(progress.delivered)])
    }
    try removePushTokens(progress.forgotten)
    return lost
  }

  /// Adds a job.
  func queue(_ job: PushJob) throws {
    try connection.executeLater(PushJob.insertion, job.values)
  }
}

extension PushScope {
  fileprivate var afterID: String {
    switch self {
    case .members(let after): after
    case .user, .token: ""
    }
  }
}
