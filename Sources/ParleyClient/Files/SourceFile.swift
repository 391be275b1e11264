#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A regular file to upload, open until the last reference to it is released.
final class SourceFile: Sendable {
  private let descriptor: Int32
  /// The length of the file when it was opened.
  let byteCount: Int64

  /// Opens a file, following symbolic links: a file may be selected by a link.
  ///
  /// - Throws: ``ParleyError/unreadableFile(_:)``.
  init(_ path: String) throws(ParleyError) {
    // A pipe without a writer must not block.
    let opened = Self.uninterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard opened >= 0 else { throw Self.failure("open \(path)", errno) }
    var status = stat()
    guard fstat(opened, &status) == 0 else {
      let code = errno
      close(opened)
      throw Self.failure("open \(path)", code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw .unreadableFile("open \(path): not a regular file")
    }
    descriptor = opened
    byteCount = Int64(status.st_size)
  }

  deinit {
    close(descriptor)
  }

  /// Reads a part; returns less when the file is now shorter.
  ///
  /// - Throws: ``ParleyError/unreadableFile(_:)``.
  func read(from offset: Int64, count: Int) throws(ParleyError) -> [UInt8] {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      // The system may return less than asked for.
      while filled < count {
        let rest = UnsafeMutableBufferPointer(rebasing: buffer[filled..<count])
        let result = Self.uninterrupted {
          pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
        }
        if result < 0 { code = errno }
        guard result > 0 else { return }
        filled += result
      }
    }
    guard code == 0 else { throw Self.failure("read", code) }
    return bytes
  }

  private static func failure(_ call: String, _ code: Int32) -> ParleyError {
    .unreadableFile("\(call): \(String(cString: strerror(code)))")
  }

  private static func uninterrupted<Count: SignedInteger>(_ call: () -> Count) -> Count {
    var result = call()
    while result < 0, errno == EINTR { result = call() }
    return result
  }
}
