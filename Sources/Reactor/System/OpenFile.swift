import Glibc

/// A file that stays open for reading until the last reference to it is released.
package final class OpenFile: Sendable {
  private let descriptor: Int32
  /// The length of the file when it was opened.
  package let byteCount: Int64

  /// Opens a regular file.
  ///
  /// - Throws: `ENOENT` when the file does not exist; `EINVAL` when it is not a regular file.
  package init(readingFrom path: String) throws(SystemError) {
    let opened = Kernel.uninterrupted {
      Kernel.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    }
    guard opened >= 0 else { throw .last("open", on: path) }
    var status = stat()
    guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      Kernel.close(opened)
      throw SystemError(call: "open", code: EINVAL, object: path)
    }
    descriptor = opened
    byteCount = Int64(status.st_size)
  }

  deinit {
    Kernel.close(descriptor)
  }

  /// A descriptor of the same file for another process, which the caller has to close.
  ///
  /// Both descriptors share one position, which is not used here.
  package func duplicate() throws(SystemError) -> Int32 {
    let copy = Kernel.duplicate(descriptor)
    guard copy >= 0 else { throw .last("fcntl") }
    return copy
  }

  /// Sends a part to a socket, as much as the socket accepts.
  ///
  /// If the peer has disconnected, sendfile raises SIGPIPE and has no flag to suppress it. The calling
  /// thread must block the signal, as every ``Thread`` does.
  ///
  /// - Returns: `.ended` when the file is now shorter than `offset`.
  func send(to socket: Int32, from offset: Int64, atMost count: Int) -> TransferOutcome {
    while true {
      let sent = Kernel.sendFile(socket, descriptor, from: offset, count)
      if sent > 0 { return .transferred(sent) }
      if sent == 0 { return .ended }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      default: return .failed(errno)
      }
    }
  }

  /// Reads a part; returns less when the file is now shorter.
  package func read(from offset: Int64, atMost count: Int) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let result = Kernel.uninterrupted {
        Kernel.read(descriptor, buffer.baseAddress, count, from: offset)
      }
      if result < 0 { failure = .last("pread") }
      filled = max(0, result)
    }
    if let failure { throw failure }
    return bytes
  }
}

/// A part of an open file that is being sent to a socket.
package struct FileSpan: Sendable {
  private let file: OpenFile
  private var offset: Int64
  /// The number of remaining bytes.
  package private(set) var count: Int64

  /// The whole file.
  package init(_ file: OpenFile) {
    self.file = file
    offset = 0
    count = file.byteCount
  }

  /// A part of a file, clamped to the file's length.
  package init(_ file: OpenFile, _ range: Range<Int64>) {
    self.file = file
    let bounds = range.clamped(to: 0..<max(0, file.byteCount))
    offset = bounds.lowerBound
    count = bounds.upperBound - bounds.lowerBound
  }

  /// An empty part of the file.
  package func dropped() -> FileSpan {
    FileSpan(file, 0..<0)
  }

  /// Sends the next bytes to a socket, up to `limit`, and advances past them.
  ///
  /// - Returns: `.ended` when the file is now too short.
  package mutating func send(to socket: Int32, atMost limit: Int) -> TransferOutcome {
    let outcome = file.send(to: socket, from: offset, atMost: min(limit, Int(clamping: count)))
    if case .transferred(let sent) = outcome { advance(sent) }
    return outcome
  }

  /// Reads the next bytes, up to `limit`; none when the file is now too short.
  package mutating func next(atMost limit: Int) throws(SystemError) -> [UInt8] {
    let bytes = try file.read(from: offset, atMost: min(limit, Int(clamping: count)))
    advance(bytes.count)
    return bytes
  }

  private mutating func advance(_ sent: Int) {
    offset += Int64(sent)
    count -= Int64(sent)
  }
}

/// Reads the contents of small files in one call.
package enum FileContents {
  private static let stepByteCount = 65_536

  /// Reads a file from its start, up to a number of bytes.
  package static func read(
    _ path: String, atMost limit: Int
  ) throws(SystemError) -> [UInt8] {
    let descriptor = Kernel.uninterrupted { Kernel.open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .last("open", on: path) }
    defer { Kernel.close(descriptor) }
    var bytes: [UInt8] = []
    // Files in /proc report no length before they are read.
    var step = [UInt8](repeating: 0, count: min(limit, stepByteCount))
    while bytes.count < limit {
      let wanted = min(step.count, limit - bytes.count)
      let count = Kernel.uninterrupted {
        step.withUnsafeMutableBytes { Kernel.read(descriptor, $0.baseAddress, wanted) }
      }
      guard count >= 0 else { throw .last("read", on: path) }
      guard count > 0 else { break }
      bytes += step[..<count]
    }
    return bytes
  }
}
