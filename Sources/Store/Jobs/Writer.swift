import Channels
import Dispatch
import PostgreSQL
import Reactor

/// Runs the writer thread: commits the queued jobs in one transaction, then answers them.
///
/// Confined to that thread.
final class Writer {
  private let connection: StoreConnection
  private let log: LogWriting
  private let removal: FileRemoval?
  private let jobs: JobQueue<WriteJob>
  private let health: HealthMonitor
  private let counters: StoreCounters
  private let options: StoreOptions
  /// The number of jobs in the last batch.
  private var takenCount = 0
  /// The session's connection count when it was last checked.
  private var connectionCount: Int?
  private var nextLookAtFile: Int64 = 0
  private var held: HeldJobs<WriteJob>
  /// The deadline of the jobs in progress, when they have waited for the database.
  private var heldUntil: UInt64?

  init(
    connection: StoreConnection, files: (any FileDepot)?, jobs: JobQueue<WriteJob>,
    health: HealthMonitor, counters: StoreCounters, options: StoreOptions
  ) {
    self.connection = connection
    self.jobs = jobs
    self.health = health
    self.counters = counters
    self.options = options
    held = HeldJobs(
      milliseconds: options.outageMilliseconds, capacity: options.queueCapacity)
    connectionCount = connection.session.connectionCount
    removal = files.map { FileRemoval(from: $0, jobs: jobs) }
    log = LogWriting(
      connection: connection, appender: connection.session.makeAppender(for: connection))
  }

  /// Runs until the queue is closed and empty.
  func run() {
    // The first step finds any remains of an earlier process.
    var purge = PurgeProgress.unfinished
    while true {
      switch jobs.take(upTo: batchLimit, timeout: patience(purge)) {
      case .jobs(let taken):
        takenCount = taken.count
        watchFile()
        process(taken[...])
      case .nothing:
        watchFile()
        watchConnection()
      case .end: return endHeld()
      }
      if health.isFailing { probeWhenDue() } else { purge = purgeStep() }
      noteConnection()
      if !held.isEmpty { serveHeld() }
    }
  }

  /// Half of the waiting jobs and those answered last, after which the next jobs of the same senders
  /// arrive.
  ///
  /// Otherwise all senders that wait for answers would end up in one batch, and they and the database
  /// would take turns waiting for each other.
  private func batchLimit(_ waitingCount: Int) -> Int {
    min(max((waitingCount + takenCount + 1) / 2, Self.undividedCount), options.batchLimit)
  }

  /// Milliseconds between two checks of jobs that wait for the database.
  private static let heldInterval = 100

  /// Nanoseconds between two checks of the database's file, while there is something to write.
  private static let fileInterval: Int64 = 100_000_000

  /// The number of jobs up to which a batch is not split into two commits.
  private static let undividedCount = 16

  /// The time to wait for jobs when there is other work.
  private func patience(_ purge: PurgeProgress) -> DispatchTimeInterval? {
    if health.isFailing {
      let interval = options.probeIntervalMilliseconds
      return .milliseconds(held.isEmpty ? interval : min(interval, Self.heldInterval))
    }
    if purge == .unfinished { return .milliseconds(0) }
    return .milliseconds(options.probeIntervalMilliseconds)
  }

  /// Checks whether the database's file was removed or replaced: commits to it are then lost when this
  /// process ends.
  private func watchFile() {
    let now = SystemClock.monotonicNanoseconds
    guard !health.isFailing, now >= nextLookAtFile else { return }
    nextLookAtFile = now + Self.fileInterval
    guard let problem = connection.session.fileProblem else { return }
    health.report(.failing(reason: problem))
  }

  /// Checks whether the connection was lost while there was nothing to write.
  private func watchConnection() {
    guard !health.isFailing else { return }
    connection.session.lookAtConnection()
    do {
      try connection.session.restore()
    } catch {
      health.report(.failing(reason: error.storageFailure ?? "\(error)"))
    }
  }

  private func noteConnection() {
    let count = connection.session.connectionCount
    guard count != connectionCount else { return }
    connectionCount = count
    options.didReconnect()
  }

  private func purgeStep() -> PurgeProgress {
    guard connection.mayHaveRemains else { return .finished }
    do {
      let steps = [
        try ChannelPurge.step(on: connection), try removal?.step(on: connection) ?? .finished,
      ]
      connection.mayHaveRemains = steps.contains(.unfinished)
      return connection.mayHaveRemains ? .unfinished : .finished
    } catch  where error.mayPass {
      return .unfinished
    } catch {
      health.report(.failing(reason: error.storageFailure ?? "\(error)"))
      return .unfinished
    }
  }

  private func process(_ taken: ArraySlice<WriteJob>) {
    var rest = taken
    while let place = rest.firstIndex(where: \.isMaintenance) {
      commitAndAnswer(rest[..<place])
      if case .maintenance(let body) = rest[place] { body(connection) }
      rest = rest[(place + 1)...]
    }
    commitAndAnswer(rest)
    options.afterBatch()
  }

  /// Commits a batch, in several parts when its jobs take long, so that prompt jobs run in between.
  private func commitAndAnswer(_ batch: ArraySlice<WriteJob>) {
    var rest = batch
    while !rest.isEmpty {
      rest = rest.dropFirst(commitAndAnswer(part: rest))
      guard !rest.isEmpty else { return }
      options.afterBatch()
      rest = jobs.takePrompt() + rest
    }
  }

  /// - Returns: The number of jobs done, from the first on.
  private func commitAndAnswer(part batch: ArraySlice<WriteJob>) -> Int {
    if case .failing(let reason) = health.current {
      holdOrFail(batch, reason)
      return batch.count
    }
    do {
      let answers = try commitRepeatedly(batch)
      connection.announceArrivals()
      answers.deliver()
      return answers.count
    } catch {
      connection.rollBackArrivals()
      let reason = error.storageFailure ?? "\(error)"
      counters.recordFailure()
      health.report(.failing(reason: reason))
      let isUnknown = error is CommitFailure
      if isUnknown { batch.forEach { $0.doubt(reason) } } else { holdOrFail(batch, reason) }
      return batch.count
    }
  }

  // MARK: Outages

  /// Holds jobs while the database cannot be reached, and fails them for any other reason.
  private func holdOrFail(_ batch: ArraySlice<WriteJob>, _ reason: String) {
    guard connection.session.isCutOff, held.hasRoom, !options.patience.isOver else {
      return batch.forEach { $0.fail(.unavailable(reason: reason)) }
    }
    held.hold(batch, until: heldUntil, at: DispatchTime.now().uptimeNanoseconds)
  }

  /// Runs the held jobs if the database is reachable again, and fails those whose time is over.
  private func serveHeld() {
    switch health.current {
    case .healthy: resume(held.takeAll())
    case .failing(let reason):
      let isOver = !connection.session.isCutOff || options.patience.isOver
      let jobs =
        isOver
        ? held.takeAll().flatMap(\.jobs)
        : held.takeExpired(at: DispatchTime.now().uptimeNanoseconds)
      guard !jobs.isEmpty else { return }
      jobs.forEach { $0.fail(.unavailable(reason: reason)) }
      options.afterBatch()
    }
  }

  private func resume(_ batches: [HeldJobs<WriteJob>.Batch]) {
    for batch in batches {
      heldUntil = batch.deadline
      process(batch.jobs)
    }
    heldUntil = nil
  }

  private func endHeld() {
    guard !held.isEmpty else { return }
    for job in held.takeAll().flatMap(\.jobs) { job.fail(.closed) }
    options.afterBatch()
  }

  /// Repeats work that another server's transaction or a lost connection has undone.
  ///
  /// - Returns: The answers to the first jobs, one at least.
  private func commitRepeatedly(_ batch: ArraySlice<WriteJob>) throws -> [WriteAnswer] {
    var batch = batch
    var triesLeft = 3
    while true {
      do {
        return try commit(batch)
      } catch  where error.mayPass && triesLeft > 0 {
        connection.rollBackArrivals()
        triesLeft -= 1
        // Two batches that lock the same rows in different orders undo each other repeatedly.
        if error.isDeadlock { batch = batch.prefix(1) }
      }
    }
  }

  /// - Returns: The answers to the jobs that fit into the time of a transaction, at least one.
  private func commit(_ batch: ArraySlice<WriteJob>) throws -> [WriteAnswer] {
    guard batch.contains(where: \.needsTransaction) else { return try batch.map(perform) }
    let start = DispatchTime.now().uptimeNanoseconds
    let end = start + UInt64(options.transactionMilliseconds) * 1_000_000
    let answers = try connection.inTransaction {
      var answers: [WriteAnswer] = []
      while answers.count < batch.count {
        let rest = batch.dropFirst(answers.count)
        let count = runLength(rest)
        if count > 1 {
          answers += try append(rest.prefix(count))
        } else if let job = rest.first {
          answers.append(try perform(job))
        }
        if DispatchTime.now().uptimeNanoseconds >= end { break }
      }
      return answers
    }
    let duration = DispatchTime.now().uptimeNanoseconds - start
    counters.recordCommit(nanoseconds: duration, jobCount: answers.count)
    options.onCommit(duration, answers.count)
    return answers
  }

  /// The number of jobs, from the first on, that append messages and should share one round trip.
  private func runLength(_ jobs: ArraySlice<WriteJob>) -> Int {
    let limit = log.appender.runLimit
    guard limit > 1 else { return 1 }
    return jobs.prefix(limit).prefix { $0.addition != nil }.count
  }

  private func append(_ jobs: ArraySlice<WriteJob>) throws -> [WriteAnswer] {
    let results = try log.append(jobs.compactMap(\.addition))
    return zip(jobs, results).map { job, result in
      guard case .entry(let submission, let sink) = job else { return .call {} }
      return .log(LogAnswer(submission.ticket, result.mapError(LogError.init)), sink)
    }
  }

  private func perform(_ job: WriteJob) throws -> WriteAnswer {
    switch job {
    case .entry(let submission, let sink):
      connection.outbox?.trace = submission.trace
      let result = try outcome(needsSavepoint: needsSavepoint(submission.entry)) {
        try log.perform(submission.entry)
      }
      return .log(LogAnswer(submission.ticket, result.mapError(LogError.init)), sink)
    case .control(let job):
      connection.outbox?.trace = nil
      let result = try outcome(needsSavepoint: true) {
        try job.perform(WriteTransaction(connection: connection))
      }
      return .call {
        switch result {
        case .success(let report): report()
        case .failure(let error): job.fail(error)
        }
      }
    case .maintenance: return .call {}
    }
  }

  /// Whether a refused entry may have written something.
  ///
  /// The first statement that writes a message is the one that can be refused, unless the message also
  /// has a row in a second table.
  private func needsSavepoint(_ entry: LogEntry) -> Bool {
    if case .write(.append(let message), _) = entry {
      // In runs of appended messages, all checks come first.
      guard log.appender.runLimit == 1 else { return false }
      return connection.outbox != nil || message.upload != nil
    }
    return entry.writes
  }

  /// Runs a job, and undoes only that job when it was invalid.
  ///
  /// - Throws: An error that means that the storage failed.
  private func outcome<T>(
    needsSavepoint: Bool, _ work: () throws -> T
  ) throws -> Result<T, any Error> {
    guard !needsSavepoint else { return try inSavepoint(work) }
    do {
      return .success(try work())
    } catch  where error.storageFailure == nil {
      return .failure(error)
    }
  }

  private func inSavepoint<T>(_ work: () throws -> T) throws -> Result<T, any Error> {
    try connection.session.setSavepoint()
    let mark = connection.arrivalMark
    let result: Result<T, any Error>
    do {
      result = .success(try work())
    } catch  where error.storageFailure == nil && connection.isInTransaction {
      try connection.session.rollBackToSavepoint()
      connection.rollBackArrivals(to: mark)
      result = .failure(error)
    }
    // Fails when the transaction was ended by a storage error that the job did not rethrow.
    try connection.session.releaseSavepoint()
    return result
  }

  private func probeWhenDue() {
    let now = DispatchTime.now().uptimeNanoseconds
    // The session itself waits between two attempts to connect.
    let interval = held.isEmpty ? options.probeIntervalMilliseconds : Self.heldInterval
    guard health.isProbeDue(at: now, everyMilliseconds: interval) else { return }
    do {
      if let problem = connection.session.fileProblem {
        throw StoreError.unavailable(reason: problem)
      }
      try connection.session.restore()
      try StorageProbe.run(on: connection)
      health.report(.healthy)
    } catch {
      health.report(.failing(reason: error.storageFailure ?? "\(error)"))
    }
  }
}
