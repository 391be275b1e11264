import Channels
import Logging
import ParleyProtocol
import Push
import Store

/// From jobs to pushes that wait in the queue.
extension PushLoop {
  /// Maximum number of members in a page of a job.
  private static let pageLimit = 500
  /// Maximum number of jobs whose recipients are read at a time, half of the queries that may wait in the store.
  private static let expansionLimit = 64
  /// The pause after the store failed to answer, in milliseconds.
  private static let storePause: Int64 = 1_000

  func didQueue(_ arrivals: [PushArrival]) {
    guard lanes == nil else { return didQueueInLanes(arrivals) }
    for arrival in arrivals { expectJob(dueAt: arrival.dueAt) }
  }

  /// Reads jobs at a time in Unix milliseconds, or before.
  func expectJob(dueAt time: Int64) {
    readSoon(at: now + max(0, time - configuration.clock()))
  }

  func readSoon(at time: Int64) { readingDue = min(readingDue ?? .max, time) }

  var canReadJobs: Bool {
    !isReadingJobs && ending == nil && queue.count < configuration.queueLimit
      && expansions.count <= Self.expansionLimit / 2
  }

  func readJobs() {
    guard canReadJobs, let readingDue, readingDue <= now else { return }
    let share = lanes?.share ?? .everything
    if case .lanes(let holds) = share, holds.isEmpty {
      self.readingDue = nil
      return
    }
    self.readingDue = nil
    isReadingJobs = true
    hasDeferredJobs = false
    let door = door
    let limit = Self.expansionLimit - expansions.count
    let reading = PushJobReading(
      at: configuration.clock(), in: share, limit: limit, except: ledger.jobIDs)
    store.perform(reading, for: .server) { result, _ in
      door.post(.didReadJobs(result, limit: limit))
    }
  }

  func didReadJobs(_ result: Result<PushJobs, StoreError>, limit: Int) {
    isReadingJobs = false
    guard ending == nil else { return }
    switch result {
    case .failure(let error):
      logger.debug("push jobs can't be read", metadata: ["reason": "\(error)"])
      readSoon(at: now + Self.storePause)
    case .success(let jobs):
      didLose(jobs.lost)
      if !jobs.jobs.isEmpty { backlogMayChange() }
      for job in jobs.jobs where !ledger.contains(job.id) && delivers(job) { begin(job) }
      if let next = jobs.nextDue { expectJob(dueAt: next) }
      // Deferred jobs are read when the outcome of an earlier one is recorded.
      if jobs.jobs.count >= limit, !hasDeferredJobs { readSoon(at: now) }
    }
  }

  private func begin(_ job: PushJob) {
    guard !ledger.hasFurtherPage(of: job.channelURL) else {
      hasDeferredJobs = true
      return
    }
    ledger.begin(job)
    expansions.begin(job.id)
    let door = door
    store.perform(PushAudience(of: job, limit: Self.pageLimit), for: .server) { result, _ in
      door.post(.didReadAudience(jobID: job.id, result))
    }
  }

  func didReadAudience(_ jobID: Int64, _ result: Result<PushAudience.Page, StoreError>) {
    guard let job = ledger.job(jobID) else { return }
    switch result {
    case .failure(let error): abandon(jobID, because: error)
    case .success(let page):
      let judged = judge.judge(page, of: job, at: configuration.clock(), steady: now)
      for refused in judged.refused { counters.add(refused.count, refused.result, by: refused.way) }
      let userIDs = judged.recipients.map(\.userID)
      guard !userIDs.isEmpty else {
        expansions.finish(jobID, with: ExpandedPage(judged: judged, badges: [:]))
        return
      }
      let door = door
      store.perform(PushBadges(of: userIDs), for: .server) { result, _ in
        door.post(.didReadBadges(jobID: jobID, judged, result))
      }
    }
  }

  func didReadBadges(
    _ jobID: Int64, _ judged: JudgedPage, _ result: Result<[String: Int64], StoreError>
  ) {
    switch result {
    case .failure(let error): abandon(jobID, because: error)
    case .success(let badges):
      expansions.finish(jobID, with: ExpandedPage(judged: judged, badges: badges))
    }
  }

  private func abandon(_ jobID: Int64, because error: StoreError) {
    logger.debug("the recipients of a push can't be read", metadata: ["reason": "\(error)"])
    expansions.drop(jobID)
    ledger.abandon(jobID)
    readSoon(at: now + Self.storePause)
  }

  /// Queues the pushes of the first jobs whose recipients are known.
  func releaseExpansions() {
    while let (jobID, page) = expansions.next() {
      guard let job = ledger.job(jobID) else { continue }
      // An earlier job of the channel turned out to have a further page.
      guard !ledger.hasFurtherPage(of: job.channelURL), ending == nil else {
        ledger.abandon(jobID)
        hasDeferredJobs = true
        continue
      }
      let pushes = page.pushes(of: job, configuration)
      ledger.start(jobID, pushCount: pushes.count, next: page.judged.next)
      for push in pushes { enqueue(push) }
    }
  }

  private func enqueue(_ push: QueuedPush) {
    guard let host = senders.host(of: push) else {
      return conclude(push, .finished(.failed, forgets: false), "the way is turned off")
    }
    guard !queue.isStalled(host, at: now) else { return postpone(push, by: nil) }
    queue.append(push, to: push.line, host: host)
  }
}
