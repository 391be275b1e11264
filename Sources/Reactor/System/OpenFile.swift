import Glibc

/// A file that is open for reading until the last reference to it is gone.
package final class OpenFile: Sendable {
  private let descriptor: Int32
  /// The length of the file when it was opened.
  package let byteCount: Int64

  /// Opens a regular file.
  ///
  /// - Throws: `ENOENT` when there is none; `EINVAL` for what is no regular file.
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

  /// Sends a part to a socket, as much as the socket accepts.
  ///
  /// A peer that is gone raises SIGPIPE, which sendfile has no flag against: the calling thread
  /// must block the signal, as every ``Thread`` does.
  ///
  /// - Returns: `.ended` when the file has become shorter than `offset`.
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

  /// Reads a part; less when the file is shorter by now.
  func read(from offset: Int64, atMost count: Int) throws(SystemError) -> [UInt8] {
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
