internal import Basics

/// Schedules the work: which file is next, which requests wait for it, and when its time limit has
/// passed.
///
/// Requesters are served round-robin, and none has all places at a time: a user who sends many
/// pictures only delays their own.
///
/// Time is milliseconds of any monotonic clock.
package struct ThumbnailQueue {
  package struct Bounds: Hashable, Sendable {
    /// The maximum number of files processed at a time.
    package var concurrency: Int
    /// The maximum number of waiting files.
    package var capacity: Int
    package var wallClock: Int64

    package init(concurrency: Int, capacity: Int = 1_000, wallClock: Int64 = 10_000) {
      self.concurrency = concurrency
      self.capacity = capacity
      self.wallClock = wallClock
    }

    /// The maximum number of waiting files of one requester.
    var capacityPerRequester: Int { max(1, capacity / 4) }
  }

  private struct Job {
    let requester: ThumbnailRequester
    let file: String
    let boxes: [ThumbnailBox]
    /// Set when the work starts.
    var startedAt: Int64?
    /// Whether the queue ended the job for exceeding its time limit.
    var isOutOfTime = false
  }

  /// A request whose boxes are in progress.
  private struct Waiting {
    let boxes: [ThumbnailBox]
    var jobs: Set<ThumbnailJobID>
    var results: [ThumbnailResult] = []
  }

  private struct Work: Hashable {
    let file: String
    let box: ThumbnailBox
  }

  private let bounds: Bounds
  private var jobs: [ThumbnailJobID: Job] = [:]
  private var queued: FairQueue<ThumbnailRequester, ThumbnailJobID>
  private var running: Set<ThumbnailJobID> = []
  private var requests: [ThumbnailRequestID: Waiting] = [:]
  private var underWay: [Work: ThumbnailJobID] = [:]
  private var lastJob: UInt64 = 0
  private var isClosed = false
  private var outcomes: [ThumbnailOutcome: Int] = [:]

  package init(_ bounds: Bounds) {
    self.bounds = bounds
    queued = FairQueue(
      capacity: .init(
        total: bounds.capacity, perPrincipal: bounds.capacityPerRequester,
        runningPerPrincipal: max(1, bounds.concurrency - 1)))
  }

  package var figures: ThumbnailFigures {
    ThumbnailFigures(queued: queued.count, running: running.count, outcomes: outcomes)
  }

  /// Handles an input, and appends the actions to perform.
  package mutating func handle(
    _ input: ThumbnailInput, at now: Int64, into actions: inout [ThumbnailAction]
  ) {
    switch input {
    case .request(let request): accept(request, into: &actions)
    case .forget(let file): forget(file, into: &actions)
    case .ended(let job, let result): end(job, with: result, at: now, into: &actions)
    case .deadline: stopLate(at: now, into: &actions)
    case .close: close(into: &actions)
    }
    startNext(at: now, into: &actions)
  }

  private mutating func accept(
    _ request: ThumbnailRequest, into actions: inout [ThumbnailAction]
  ) {
    // Duplicate boxes are made once.
    let boxes = request.boxes.reduce(into: [ThumbnailBox]()) { boxes, box in
      if !boxes.contains(box) { boxes.append(box) }
    }
    let open = boxes.filter { underWay[Work(file: request.file, box: $0)] == nil }
    guard !boxes.isEmpty else { return actions.append(.answer(request.id, ThumbnailResult(.made))) }
    guard !isClosed else { return refuse(request.id, "the server is stopping", into: &actions) }
    if !open.isEmpty {
      switch enqueue(open, of: request) {
      case .accepted: break
      case .principalFull:
        return refuse(request.id, "too many pictures of this user are waiting", into: &actions)
      case .full: return refuse(request.id, "the queue is full", into: &actions)
      }
    }
    let jobs = boxes.compactMap { underWay[Work(file: request.file, box: $0)] }
    requests[request.id] = Waiting(boxes: boxes, jobs: Set(jobs))
  }

  private mutating func refuse(
    _ request: ThumbnailRequestID, _ reason: String, into actions: inout [ThumbnailAction]
  ) {
    outcomes[.refused, default: 0] += 1
    actions.append(.answer(request, ThumbnailResult(.refused, reason: reason, isFinal: false)))
  }

  private mutating func enqueue(
    _ boxes: [ThumbnailBox], of request: ThumbnailRequest
  ) -> FairQueue<ThumbnailRequester, ThumbnailJobID>.Admission {
    let job = ThumbnailJobID(rawValue: lastJob + 1)
    let admission = queued.submit(job, for: request.requester)
    guard admission == .accepted else { return admission }
    lastJob += 1
    jobs[job] = Job(requester: request.requester, file: request.file, boxes: boxes)
    for box in boxes { underWay[Work(file: request.file, box: box)] = job }
    return .accepted
  }

  private mutating func startNext(at now: Int64, into actions: inout [ThumbnailAction]) {
    while running.count < bounds.concurrency, let id = queued.take()?.job, var job = jobs[id] {
      job.startedAt = now
      jobs[id] = job
      running.insert(id)
      actions.append(.start(id, file: job.file, boxes: job.boxes))
      actions.append(.wake(at: now + bounds.wallClock))
    }
  }

  private mutating func stopLate(at now: Int64, into actions: inout [ThumbnailAction]) {
    for id in running.sorted() {
      guard var job = jobs[id], let startedAt = job.startedAt, !job.isOutOfTime else { continue }
      let deadline = startedAt + bounds.wallClock
      guard deadline <= now else {
        actions.append(.wake(at: deadline))
        continue
      }
      job.isOutOfTime = true
      jobs[id] = job
      actions.append(.kill(id))
    }
  }

  private mutating func end(
    _ id: ThumbnailJobID, with result: ThumbnailResult, at now: Int64,
    into actions: inout [ThumbnailAction]
  ) {
    guard let job = jobs.removeValue(forKey: id) else { return }
    if running.remove(id) != nil {
      // At least a millisecond, so that many short jobs also count.
      queued.finish(job.requester, after: UInt64(max(1, now - (job.startedAt ?? now))))
    }
    let result =
      job.isOutOfTime && result.outcome == .killed
      ? ThumbnailResult(
        .timedOut, reason: "not done within \(bounds.wallClock) ms",
        thumbnails: result.thumbnails, isFinal: result.isFinal) : result
    outcomes[result.outcome, default: 0] += 1
    settle(id, job, with: result, into: &actions)
  }

  /// Passes a result to all requests that wait for a job.
  private mutating func settle(
    _ id: ThumbnailJobID, _ job: Job, with result: ThumbnailResult,
    into actions: inout [ThumbnailAction]
  ) {
    for box in job.boxes { underWay[Work(file: job.file, box: box)] = nil }
    for request in requests.filter({ $0.value.jobs.contains(id) }).keys.sorted() {
      guard var waiting = requests.removeValue(forKey: request) else { continue }
      waiting.jobs.remove(id)
      waiting.results.append(result)
      if waiting.jobs.isEmpty {
        actions.append(.answer(request, Self.combined(waiting)))
      } else {
        requests[request] = waiting
      }
    }
  }

  /// Combines the results of all jobs; the worst outcome counts.
  private static func combined(_ waiting: Waiting) -> ThumbnailResult {
    let all = waiting.results.flatMap(\.thumbnails)
    let thumbnails = waiting.boxes.compactMap { box in all.first { $0.box == box } }
    let worst = waiting.results.first { $0.outcome != .made }
    guard thumbnails.count < waiting.boxes.count else {
      return ThumbnailResult(.made, thumbnails: thumbnails)
    }
    return ThumbnailResult(
      worst?.outcome ?? .failed, reason: worst?.reason ?? "", thumbnails: thumbnails,
      isFinal: worst?.isFinal ?? true)
  }

  /// Cancels the work on a file.
  private mutating func forget(_ file: String, into actions: inout [ThumbnailAction]) {
    drop(reason: "the file was removed", into: &actions) { $0.file == file }
  }

  private mutating func close(into actions: inout [ThumbnailAction]) {
    isClosed = true
    drop(reason: "the server is stopping", into: &actions) { _ in true }
  }

  private mutating func drop(
    reason: String, into actions: inout [ThumbnailAction], where isDropped: (Job) -> Bool
  ) {
    let dropped = jobs.filter { isDropped($0.value) }.sorted { $0.key < $1.key }
    let waiting = Set(dropped.map(\.key)).subtracting(running)
    queued.removeAll(where: waiting.contains)
    for (id, job) in dropped {
      guard waiting.contains(id) else {
        actions.append(.kill(id))
        continue
      }
      jobs[id] = nil
      outcomes[.refused, default: 0] += 1
      let result = ThumbnailResult(.refused, reason: reason, isFinal: false)
      settle(id, job, with: result, into: &actions)
    }
  }
}
