import Lanes
import Logging
import ParleyProtocol
import Push
import Store

/// The consequences of outcomes, and their record in the store.
extension PushLoop {
  /// The pause after the store failed to record outcomes, in milliseconds.
  private static let recordingPause: Int64 = 1_000
  /// The least time between two records, in milliseconds.
  ///
  /// Each is a commit, for which messages wait. After a crash, what was sent in this time is sent once more.
  private static let recordingInterval: Int64 = 100

  /// Ends a push, or keeps it for a later attempt.
  ///
  /// - Parameters:
  ///   - step: Finished, or another attempt at a time.
  ///   - problem: The reason; empty when the push was accepted.
  func conclude(_ push: QueuedPush, _ step: PushStep, _ problem: String) {
    switch push.purpose {
    case .job(let jobID):
      ledger.conclude(jobID, push.targets.map { conclusion(of: push, $0, step) })
    case .test(let test, let index): test.add(step, problem, at: index)
    case .clearing: break
    }
    guard case .finished(let result, let forgets) = step else { return }
    counters.add(push.targets.count, result, by: push.way)
    if forgets, !push.isOfJob { push.targets.forEach(forget) }
  }

  /// Ends an accepted notice to the operator's own service.
  func conclude(
    _ push: QueuedPush, _ targets: [PushTarget], rejected: Set<PushNotice.Recipient.Device>
  ) {
    let isRejected = targets.map { target in
      rejected.contains(.init(type: target.token.type, name: target.token.address.name))
    }
    if case .job(let jobID) = push.purpose {
      ledger.conclude(
        jobID,
        zip(targets, isRejected).map { target, isRejected in
          conclusion(
            of: push, target, .finished(isRejected ? .rejected : .sent, forgets: isRejected))
        })
    }
    let count = isRejected.count { $0 }
    counters.add(count, .rejected, by: push.way)
    counters.add(targets.count - count, .sent, by: push.way)
  }

  private func conclusion(
    of push: QueuedPush, _ target: PushTarget, _ step: PushStep
  ) -> PushLedger.Conclusion {
    guard let job = push.job, let tokenID = target.tokenID else { return .ended }
    switch step {
    case .finished(.sent, _): return .delivered(tokenID: tokenID)
    case .finished(_, let forgets): return forgets ? .forgotten(tokenID: tokenID) : .ended
    case .again(let time):
      return .waits(push.later(job, target.userID, tokenID: tokenID, dueAt: time))
    // These end no push.
    case .againWithNewCredential, .againWithoutBody: return .ended
    }
  }

  private func forget(_ target: PushTarget) {
    let removal = PushTokenRemoval(type: target.token.type, name: target.token.address.name)
    store.perform(removal) { _ in }
  }

  /// Records the outcomes of ended jobs, in one transaction.
  func recordProgress() {
    guard mayRecord, let progress = ledger.takeProgress() else { return }
    recordingDue = now + Self.recordingInterval
    let door = door
    let write = PushProgress(
      finished: progress.finished, advanced: progress.advanced, waiting: progress.waiting,
      forgotten: progress.forgotten, delivered: Array(progress.delivered),
      at: configuration.clock(),
      in: lanes?.ownership.share(of: progress.lanes) ?? .everything)
    store.perform(write) { door.post(.didRecord(progress, $0)) }
  }

  /// Members of further pages, and a server that waits for the end, do not wait for the pace.
  private var mayRecord: Bool {
    guard now >= recordingPausedUntil else { return false }
    return ending != nil || ledger.hasOutcomeOfPage || now >= recordingDue
  }

  func didRecord(_ progress: PushLedger.Progress, _ result: Result<[OutboxHold], StoreError>) {
    switch result {
    case .failure(let error):
      // Until they are recorded, a restart would send these pushes again.
      logger.debug("outcomes of pushes can't be recorded", metadata: ["reason": "\(error)"])
      ledger.didFail(progress)
      recordingPausedUntil = now + Self.recordingPause
    case .success(let lost):
      ledger.didRecord(progress)
      didLose(lost)
      for job in progress.waiting + progress.advanced { expectJob(dueAt: job.dueAt) }
      if hasDeferredJobs { readSoon(at: now) }
      backlogMayChange()
    }
  }

  /// Sends nothing more of some jobs; requests in progress end normally.
  ///
  /// A job none of whose pushes was sent stays as it is. Of others, each unsent push becomes a job.
  func withdraw(where isWithdrawn: (PushJob) -> Bool) {
    expansions.drop { jobID in ledger.job(jobID).map(isWithdrawn) ?? true }
    for jobID in ledger.readingJobIDs {
      if let job = ledger.job(jobID), isWithdrawn(job) { ledger.abandon(jobID) }
    }
    let removed = queue.remove { $0.job.map(isWithdrawn) ?? false }
    for (jobID, pushes) in Dictionary(grouping: removed, by: { $0.job?.id ?? 0 }) {
      if ledger.isUntouched(jobID, pushCount: pushes.count) {
        ledger.abandon(jobID)
      } else {
        let time = configuration.clock()
        for push in pushes { conclude(push, .again(at: time), "") }
      }
    }
  }
}

extension QueuedPush {
  fileprivate var isOfJob: Bool { if case .job = purpose { true } else { false } }

  /// The job of another attempt for one device.
  fileprivate func later(
    _ job: PushJob, _ userID: String, tokenID: Int64, dueAt: Int64
  ) -> PushJob {
    var later = job
    later.id = 0
    later.scope = .token(userID: userID, id: tokenID)
    later.dueAt = dueAt
    later.failures = attempts.failures
    return later
  }
}
