import Channels
import Reactor
import Store

/// Writes an export to its file, a page at a time.
///
/// A step ends after ten seconds or many MiB, when its bytes are durable: after a restart the file is cut back
/// to them. Confined to the first shard.
final class ExportWork: LongWork {
  /// The position of an export and the rows before it, as recorded.
  private struct Progress {
    var rowCount: Int
    var position: ExportPosition?

    /// - Parameter text: Empty before the first step.
    init(_ text: String) {
      let parts = text.split(separator: " ", maxSplits: 1)
      rowCount = parts.first.flatMap { Int($0) } ?? 0
      position = parts.count == 2 ? ExportPosition(String(parts[1])) : nil
    }

    var text: String { position.map { "\(rowCount) \($0.text)" } ?? "" }
  }

  /// The most that a step takes before its bytes are made durable.
  ///
  /// Commits of messages wait for that on the same disk, so it is rare.
  private static let stepMilliseconds: Int64 = 10_000
  private static let stepByteCount: Int64 = 256 << 20

  private unowned let shard: Shard
  private let request: LongRequest
  private let parameters: ExportParameters?
  private let file: LongFile
  private var progress: Progress
  private var pace = ReadingPace()
  private var isOpen = false
  private var startedAt: Int64 = 0
  private var startByteCount: Int64 = 0
  /// The end of the last reading in monotonic nanoseconds, from which the pause counts: compressing takes
  /// place meanwhile.
  private var readAt: Int64 = 0
  /// The recorded part of a file that has all rows.
  private var whole: LongRequestProgress.Part?
  private var completion: ((LongRequestRun.Step) -> Void)?

  init(at request: LongRequest, on shard: Shard) {
    self.request = request
    self.shard = shard
    parameters = ExportParameters(request.subject, params: request.params)
    let ending = parameters.map { "\($0.format == .csv ? "csv" : "ndjson")" } ?? ""
    file = LongFile(of: request, named: "\(request.subject)-\(request.id).\(ending).gz", on: shard)
    progress = Progress(request.position)
  }

  func step(_ completion: @escaping (LongRequestRun.Step) -> Void) {
    self.completion = completion
    guard parameters != nil else {
      return finish(.failed(reason: "its parameters are those of another version"))
    }
    if let whole { return file.finish(whole, finish) }
    startedAt = shard.loop.now
    startByteCount = file.contentByteCount
    guard isOpen else { return open() }
    read()
  }

  func didEnd() { file.removeRemains() }

  private func open() {
    file.open { [self] result in
      proceed(result) {
        isOpen = true
        writeHead()
      }
    }
  }

  /// Begins a new file with the names of the columns; an export without rows is a file of its own too.
  private func writeHead() {
    guard file.byteCount == 0, let lines else { return read() }
    progress = Progress("")
    file.append(lines.head) { [self] result in proceed(result) { read() } }
  }

  private var lines: ExportLines? { parameters.map { ExportLines($0, shard.services) } }

  private func read() {
    guard let lines else { return }
    let (store, path, work) = (shard.services.store, shard.returnPath, LoopBound(self))
    let answer: @Sendable (Result<ExportPage, StoreError>, QueryCost) -> Void = { result, cost in
      path.resume { _ in work.value.didRead(result, cost) }
    }
    lines.read(
      from: store, after: progress.position, for: .server, at: shard.services.clock.now, answer)
  }

  private func didRead(_ result: Result<ExportPage, StoreError>, _ cost: QueryCost) {
    let page: ExportPage
    switch result {
    case .success(let found): page = found
    case .failure(.closed): return
    case .failure(let error): return finish(.postponed(reason: "\(error)"))
    }
    let statistics = shard.services.store.statistics
    let pause = pace.pause(
      after: cost.nanoseconds, queryCount: statistics.queryCount,
      waiting: statistics.queryQueueLength)
    readAt = SystemClock.monotonicNanoseconds
    progress.rowCount += page.rowCount
    progress.position = page.position
    guard !page.bytes.isEmpty else { return didWrite(page, pause) }
    file.append(page.bytes) { [self] result in proceed(result) { didWrite(page, pause) } }
  }

  private func didWrite(_ page: ExportPage, _ pause: Int64) {
    let isLong =
      shard.loop.now - startedAt >= Self.stepMilliseconds
      || file.contentByteCount - startByteCount >= Self.stepByteCount
    let rest = max(0, pause - (SystemClock.monotonicNanoseconds - readAt))
    if page.isLast || isLong { return synchronize(isLast: page.isLast, rest) }
    guard rest > 0 else { return read() }
    do throws(SystemError) {
      try shard.loop.wait(nanoseconds: rest) { [self] in read() }
    } catch {
      finish(.postponed(reason: "\(error)"))
    }
  }

  private func synchronize(isLast: Bool, _ pause: Int64) {
    file.synchronize { [self] result in
      switch result {
      case .failure(let failure): fail(failure)
      case .success(var part):
        if isLast { whole = part }
        // Chunks after them may be sealed before the next record.
        part.rest?.isDirty = true
        finish(
          .advanced(position: progress.text, part: part, rest: isLast ? 0 : pause / 1_000_000))
      }
    }
  }

  private func proceed(_ result: Result<Void, LongFile.Failure>, _ next: () -> Void) {
    switch result {
    case .success: next()
    case .failure(let failure): fail(failure)
    }
  }

  private func fail(_ failure: LongFile.Failure) { finish(LongRequestRun.Step(failure)) }

  private func finish(_ step: LongRequestRun.Step) {
    let completion = completion
    self.completion = nil
    completion?(step)
  }
}

extension LongRequestRun.Step {
  /// The step that ends with a failure of the file.
  init(_ failure: LongFile.Failure) {
    switch failure {
    case .lost: self = .lost
    case .shrunk: self = .failed(reason: "bytes of the file are missing")
    case .storage(let reason): self = .failed(reason: reason)
    case .keys(let reason), .store(let reason): self = .postponed(reason: reason)
    }
  }
}

extension ExportLines {
  /// Reads some rows as lines.
  func read(
    from store: Store, after position: ExportPosition?, size: ExportPageSize = ExportPageSize(),
    for principal: QueryPrincipal, at now: Int64,
    _ answer: @escaping @Sendable (Result<ExportPage, StoreError>, QueryCost) -> Void
  ) {
    let filter = parameters.filter
    switch parameters.subject {
    case .messages:
      store.perform(
        ExportedMessages(filter, after: position, size: size, as: messages), for: principal,
        completion: answer)
    case .channels:
      store.perform(
        ExportedChannels(
          filter, after: position, size: size, showingReadReceipts: parameters.showsReadReceipts,
          at: now, as: channels), for: principal, completion: answer)
    case .users:
      store.perform(
        ExportedUsers(filter, after: position, size: size, as: users), for: principal,
        completion: answer)
    }
  }
}
