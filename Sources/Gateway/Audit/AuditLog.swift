import Configuration
import Dispatch
import Logging
import Reactor
import Synchronization

/// The audit log: actions taken through the Platform API, with the token used for each.
///
/// Lines are written on a separate thread. A slow or full disk, or a pipe that is not read, blocks
/// no call: lines are lost and counted.
final class AuditLog: Sendable {
  /// How long ``close()`` waits for the next line to be written.
  private static let patience = DispatchTimeInterval.seconds(5)

  let includesMessages: Bool
  /// The newest lines, in memory.
  let memory = AuditMemory()
  private let queue = AuditQueue()
  private let ended = DispatchSemaphore(value: 0)
  private let logger: Logger

  /// Opens the log; `nil` when there is none.
  ///
  /// - Throws: `UnusableSetting` when it cannot be opened.
  init?(_ settings: AuditSettings, logger: Logger) throws {
    let place = settings.log
    guard place != .off else { return nil }
    // The thread opens the file itself; this reports problems at the start.
    try UnusableSetting.named("audit.log") { try AuditFile(place).open() }
    includesMessages = settings.messages
    self.logger = logger
    let (queue, ended, memory) = (queue, ended, memory)
    _ = try Reactor.Thread(name: "audit", priority: .background) {
      AuditWriter(AuditFile(place), queue, memory, logger).run()
      ended.signal()
    }
  }

  /// Lines written and lines lost.
  var counts: (written: Int, lost: Int) { queue.counts }

  /// Queues a record to be written, or counts it as lost when too many records wait.
  func write(_ record: AuditRecord) { queue.add(record) }

  /// Reopens the file before the next line, after the file was moved away.
  func reopen() { queue.reopen() }

  /// Writes the waiting lines and ends; if the log takes no line for five seconds, the rest is lost.
  func close() {
    queue.close()
    var written = counts.written
    while ended.wait(timeout: .now() + Self.patience) == .timedOut {
      guard counts.written > written else {
        return logger.error("the audit log takes no lines; the rest of them is lost")
      }
      written = counts.written
    }
  }
}

/// The queue of records for the thread that writes them.
final class AuditQueue: Sendable {
  /// The work of one round.
  struct Round {
    var records: [AuditRecord] = []
    var reopens = false
    var isLast = false
  }

  private struct State {
    var round = Round()
    var byteCount = 0
  }

  private static let longest = 10_000
  private static let largest = 33_554_432

  private let state = Mutex(State())
  private let added = DispatchSemaphore(value: 0)
  private let written = Atomic(0)
  private let lost = Atomic(0)

  var counts: (written: Int, lost: Int) {
    (written.load(ordering: .relaxed), lost.load(ordering: .relaxed))
  }

  func add(_ record: AuditRecord) {
    let isAdded = state.withLock { state in
      let byteCount = state.byteCount + record.byteCount
      guard state.round.records.count < Self.longest, byteCount <= Self.largest,
        !state.round.isLast
      else { return false }
      state.round.records.append(record)
      state.byteCount = byteCount
      return true
    }
    if isAdded { added.signal() } else { didLose(1) }
  }

  func reopen() {
    state.withLock { $0.round.reopens = true }
    added.signal()
  }

  func close() {
    state.withLock { $0.round.isLast = true }
    added.signal()
  }

  /// Waits for work and takes all of it.
  func next() -> Round {
    added.wait()
    return state.withLock { state in
      let round = state.round
      state = State()
      state.round.isLast = round.isLast
      return round
    }
  }

  func didWrite() { written.wrappingAdd(1, ordering: .relaxed) }
  func didLose(_ count: Int) { lost.wrappingAdd(count, ordering: .relaxed) }
}

/// Writes records to the file; confined to its thread.
final class AuditWriter {
  private let file: AuditFile
  private let queue: AuditQueue
  private let memory: AuditMemory
  private let logger: Logger
  /// Lines lost since the last successful write.
  private var lostInARow = 0

  init(_ file: AuditFile, _ queue: AuditQueue, _ memory: AuditMemory, _ logger: Logger) {
    self.file = file
    self.queue = queue
    self.memory = memory
    self.logger = logger
  }

  func run() {
    while true {
      let round = queue.next()
      if round.reopens { reopen() }
      for record in round.records { write(record) }
      if round.isLast { return }
    }
  }

  private func reopen() {
    do throws(SystemError) {
      try file.reopen()
      logger.notice("reopened the audit log")
    } catch {
      logger.error("the audit log cannot be reopened", metadata: ["reason": "\(error)"])
    }
  }

  /// Writes a line; of consecutive failures, only the first is logged.
  private func write(_ record: AuditRecord) {
    let line = record.line
    memory.add(
      tokenID: record.call.token.id, path: record.call.path, json: Array(line.dropLast()))
    do throws(SystemError) {
      try file.append(line)
      queue.didWrite()
      guard lostInARow > 0 else { return }
      logger.notice("the audit log is written again", metadata: ["lost": "\(lostInARow)"])
      lostInARow = 0
    } catch {
      queue.didLose(1)
      lostInARow += 1
      guard lostInARow == 1 else { return }
      logger.error(
        "the audit log cannot be written; its lines are lost", metadata: ["reason": "\(error)"])
    }
  }
}
