import Store

/// The jobs in progress, and the outcomes that the store has not recorded.
///
/// A job ends when each of its pushes has an outcome. Its end and the outcomes are recorded in one
/// transaction; what is not recorded when the server ends is sent again, with the same ids.
struct PushLedger {
  /// The outcome of a push to a device, for the store.
  enum Conclusion {
    /// Nothing to record.
    case ended
    case delivered(tokenID: Int64)
    case forgotten(tokenID: Int64)
    /// Another attempt, which is a job of its own.
    case waits(PushJob)
  }

  /// Outcomes to record in one transaction.
  struct Progress: Sendable {
    var finished: [Int64] = []
    /// Jobs that continue, with their next page or at another time.
    var advanced: [PushJob] = []
    var waiting: [PushJob] = []
    var forgotten: [Int64] = []
    var delivered: Set<Int64> = []
    /// The lanes of the jobs.
    var lanes: OutboxLanes = []

    fileprivate var jobIDs: [Int64] { finished + advanced.map(\.id) }
  }

  private enum Stage {
    /// The recipients are being read.
    case reading
    /// - `count`: The number of pushes without an outcome.
    case sending(count: Int)
    case ended
    case recording
  }

  private struct Work {
    let job: PushJob
    var stage = Stage.reading
    /// The user after whom the next page of members begins.
    var next: String?
    var conclusions: [Conclusion] = []
    /// Whether a push has an outcome.
    var hasBegun = false
  }

  /// The maximum number of jobs in one transaction.
  private static let batchLimit = 200

  private var works: [Int64: Work] = [:]
  /// The ended jobs that are not being recorded, in the order of their ends.
  private var ended: [Int64] = []
  /// The jobs with a further page, which are few.
  private var paged: Set<Int64> = []

  /// The jobs that are in progress or not recorded.
  var jobIDs: [Int64] { Array(works.keys) }

  /// Whether a job is in progress or not recorded, so that it must not be begun again.
  func contains(_ jobID: Int64) -> Bool { works[jobID] != nil }

  /// Whether no job has pushes in progress or outcomes to record.
  var isIdle: Bool {
    works.values.allSatisfy { if case .reading = $0.stage { true } else { false } }
  }

  func job(_ id: Int64) -> PushJob? { works[id]?.job }

  /// The jobs whose recipients are being read.
  var readingJobIDs: [Int64] {
    works.compactMap { if case .reading = $0.value.stage { $0.key } else { nil } }
  }

  /// The lanes with pushes in progress, or with outcomes that are not recorded.
  var busyLanes: OutboxLanes {
    OutboxLanes(
      works.values.compactMap { work in
        if case .reading = work.stage { nil } else { work.job.lane }
      })
  }

  /// Whether a job of the channel has a further page of members, whose pushes precede those of later jobs.
  func hasFurtherPage(of channelURL: String) -> Bool {
    paged.contains { works[$0]?.job.channelURL == channelURL }
  }

  /// Begins a job, whose recipients are read.
  mutating func begin(_ job: PushJob) { works[job.id] = Work(job: job) }

  /// Whether a job has as many pushes without an outcome, and none with one.
  func isUntouched(_ jobID: Int64, pushCount: Int) -> Bool {
    guard let work = works[jobID], case .sending(let count) = work.stage else { return false }
    return count == pushCount && !work.hasBegun
  }

  /// Gives up a job, none of whose pushes was sent; it is read again.
  mutating func abandon(_ jobID: Int64) {
    works[jobID] = nil
    paged.remove(jobID)
  }

  /// Sets the number of pushes of a job.
  ///
  /// - Parameter next: The user after whom the next page begins; `nil` when there is none.
  mutating func start(_ jobID: Int64, pushCount: Int, next: String?) {
    works[jobID]?.stage = .sending(count: pushCount)
    works[jobID]?.next = next
    if next != nil { paged.insert(jobID) }
    endIfComplete(jobID)
  }

  /// Records the outcome of one push of a job, for each of its devices.
  mutating func conclude(_ jobID: Int64, _ conclusions: [Conclusion]) {
    guard let work = works[jobID], case .sending(let count) = work.stage else { return }
    works[jobID]?.stage = .sending(count: count - 1)
    works[jobID]?.conclusions += conclusions
    works[jobID]?.hasBegun = true
    endIfComplete(jobID)
  }

  var hasOutcomes: Bool { !ended.isEmpty }

  /// Whether a page of members has ended, after which the next one begins.
  var hasOutcomeOfPage: Bool { !paged.isEmpty && ended.contains { paged.contains($0) } }

  /// The outcomes to record now; `nil` when there are none.
  mutating func takeProgress() -> Progress? {
    guard !ended.isEmpty else { return nil }
    var progress = Progress()
    for id in ended.prefix(Self.batchLimit) {
      guard let work = works[id] else { continue }
      works[id]?.stage = .recording
      progress.add(work.job, next: work.next, work.conclusions)
    }
    ended.removeFirst(min(Self.batchLimit, ended.count))
    return progress.jobIDs.isEmpty ? nil : progress
  }

  mutating func didRecord(_ progress: Progress) {
    for id in progress.jobIDs { works[id] = nil }
    for job in progress.advanced { paged.remove(job.id) }
  }

  /// Keeps outcomes that could not be recorded.
  mutating func didFail(_ progress: Progress) {
    for id in progress.jobIDs where works[id] != nil {
      works[id]?.stage = .ended
      ended.append(id)
    }
  }

  /// Drops the jobs of lanes that another server delivers; requests in progress have no consequence.
  mutating func drop(_ lanes: OutboxLanes) {
    works = works.filter { !lanes.contains($0.value.job.lane) }
    ended.removeAll { works[$0] == nil }
    paged.formIntersection(works.keys)
  }

  private mutating func endIfComplete(_ jobID: Int64) {
    guard let work = works[jobID], case .sending(count: 0) = work.stage else { return }
    works[jobID]?.stage = .ended
    ended.append(jobID)
  }
}

extension PushLedger.Progress {
  fileprivate mutating func add(
    _ job: PushJob, next: String?, _ conclusions: [PushLedger.Conclusion]
  ) {
    lanes.insert(job.lane)
    // Another attempt for one device stays in the row of the job.
    if case .token = job.scope, case .waits(let later)? = conclusions.first {
      var again = later
      again.id = job.id
      return advanced.append(again)
    }
    if let next {
      var further = job
      further.scope = .members(after: next)
      advanced.append(further)
    } else {
      finished.append(job.id)
    }
    for conclusion in conclusions {
      switch conclusion {
      case .ended: break
      case .delivered(let id): delivered.insert(id)
      case .forgotten(let id): forgotten.append(id)
      case .waits(let job): waiting.append(job)
      }
    }
  }
}
