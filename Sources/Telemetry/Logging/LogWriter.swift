internal import Dispatch
internal import Glibc
internal import Reactor
internal import Synchronization

/// The destination of all log lines: a bounded queue, and a thread that writes it to a descriptor.
///
/// Callers never wait. A pipe that is not read, a stopped terminal or a disk that hangs blocks only the
/// thread: when the queue is full, lines are dropped and counted. The descriptor keeps its mode, because
/// `O_NONBLOCK` would also apply to other processes that write to the same file.
final class LogWriter: Sendable {
  private struct Queue {
    /// Whole lines.
    var lines: [UInt8] = []
    var isEnding = false
  }

  /// The maximum number of bytes that wait for the thread.
  static let capacity = 1_048_576
  /// The number of bytes that POSIX writes atomically to a pipe.
  private static let atomicByteCount = Int(PIPE_BUF)

  private let descriptor: Int32
  /// Makes the line that reports the number of lost lines.
  private let notice: @Sendable (_ lostCount: Int) -> String
  private let queue = Mutex(Queue())
  private let added = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private let lost = Atomic(0)

  /// Starts the thread.
  init(
    _ descriptor: Int32, notice: @escaping @Sendable (_ lostCount: Int) -> String
  ) throws(SystemError) {
    self.descriptor = descriptor
    self.notice = notice
    _ = try Thread(name: "log") { [self] in run() }
  }

  /// The number of lines that were dropped or could not be written.
  var lostCount: Int { lost.load(ordering: .relaxed) }

  /// Adds a line, which ends with a line feed, or drops it if the queue is full.
  func add(_ line: String) {
    enum Outcome { case first, further, full }
    let outcome = queue.withLock { queue in
      guard !queue.isEnding, queue.lines.count + line.utf8.count <= Self.capacity else {
        return Outcome.full
      }
      let isFirst = queue.lines.isEmpty
      queue.lines.append(contentsOf: line.utf8)
      return isFirst ? .first : .further
    }
    switch outcome {
    case .first: added.signal()
    case .further: break
    case .full: lost.wrappingAdd(1, ordering: .relaxed)
    }
  }

  /// Writes the waiting lines, and ends.
  ///
  /// - Parameter patience: The time after which the caller continues without waiting, in milliseconds.
  func end(within patience: Int) {
    queue.withLock { $0.isEnding = true }
    added.signal()
    _ = ended.wait(timeout: .now() + .milliseconds(patience))
  }

  // MARK: On the thread

  private func run() {
    var output = LogOutput(descriptor)
    var reportedCount = 0
    while true {
      added.wait()
      let taken = queue.withLock { queue in
        defer { queue.lines = [] }
        return queue
      }
      write(taken.lines, to: &output)
      let lostCount = lostCount
      if lostCount > reportedCount, !output.hasFailed {
        output.write(Array(notice(lostCount - reportedCount).utf8)[...])
        if !output.hasFailed { reportedCount = lostCount }
      }
      if taken.isEnding { break }
    }
    ended.signal()
  }

  /// Writes as many whole lines as fit into one atomic write.
  private func write(_ lines: [UInt8], to output: inout LogOutput) {
    var rest = lines[...]
    while !rest.isEmpty {
      let end =
        rest.prefix(Self.atomicByteCount).lastIndex(of: LogOutput.lineFeed)
        ?? rest.firstIndex(of: LogOutput.lineFeed) ?? rest.endIndex - 1
      lost.wrappingAdd(output.write(rest[...end]), ordering: .relaxed)
      rest = rest[(end + 1)...]
    }
  }
}

/// A descriptor to which log lines are written.
private struct LogOutput {
  static let lineFeed = UInt8(ascii: "\n")

  private let descriptor: Int32
  /// Whether the last line is incomplete.
  private var isTorn = false
  /// Whether the last write failed.
  private(set) var hasFailed = false

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Writes lines, and waits until the descriptor accepts them.
  ///
  /// - Returns: The number of lines that could not be written.
  @discardableResult
  mutating func write(_ lines: ArraySlice<UInt8>) -> Int {
    let isEnded = !isTorn || unwritten([Self.lineFeed]).isEmpty
    let rest = isEnded ? unwritten(lines) : lines
    hasFailed = !rest.isEmpty
    if isEnded {
      isTorn =
        hasFailed && rest.startIndex > lines.startIndex
        && lines[rest.startIndex - 1] != Self.lineFeed
    }
    return rest.count { $0 == Self.lineFeed }
  }

  /// Writes bytes, and returns the unwritten ones after a failure.
  private func unwritten(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Kernel.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count == 0 || !waitsAfterFailure() {
        break
      }
    }
    return rest
  }

  /// Waits for buffer space in a descriptor that another process made non-blocking.
  ///
  /// - Returns: Whether to try writing again.
  private func waitsAfterFailure() -> Bool {
    switch errno {
    case EINTR: return true
    case EAGAIN:
      var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      return poll(&room, 1, -1) >= 0 || errno == EINTR
    default: return false
    }
  }
}
