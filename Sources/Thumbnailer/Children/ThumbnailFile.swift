internal import CLinux
internal import Glibc
package import Reactor

/// A file from which thumbnails are made, open until its last reference is released.
package final class ThumbnailFile: Sendable {
  let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Opens a regular file on disk.
  package convenience init(readingFrom path: String) throws(SystemError) {
    let opened = Kernel.uninterrupted {
      open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    }
    guard opened >= 0 else { throw .last("open", on: path) }
    var status = stat()
    guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw SystemError(call: "open", code: EINVAL, object: path)
    }
    self.init(descriptor: opened)
  }

  /// Wraps an open file.
  package convenience init(_ file: OpenFile) throws(SystemError) {
    self.init(descriptor: try file.duplicate())
  }

  /// Wraps bytes in memory, such as those of a file that is encrypted on disk; they cannot be
  /// changed afterwards.
  package convenience init(_ memory: MemoryFile) throws(SystemError) {
    guard csandbox_seal(memory.descriptor) else { throw .last("fcntl") }
    let descriptor = fcntl(memory.descriptor, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { throw .last("fcntl") }
    self.init(descriptor: descriptor)
  }
}

/// A file in memory, without a name in a directory.
package final class MemoryFile: Sendable {
  let descriptor: Int32

  package init(_ name: String) throws(SystemError) {
    descriptor = csandbox_memory_file(name)
    guard descriptor >= 0 else { throw .last("memfd_create") }
  }

  deinit { close(descriptor) }

  /// Appends all the bytes.
  package func append(_ bytes: [UInt8]) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = Kernel.uninterrupted {
        bytes.withUnsafeBytes {
          write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
        }
      }
      guard count > 0 else { throw .last("write") }
      written += count
    }
  }

  /// Reads from the start, at most `limit` bytes.
  func contents(atMost limit: Int) -> [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return [] }
    let count = min(limit, Int(status.st_size))
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, Kernel.uninterrupted { pread(descriptor, buffer.baseAddress, count, 0) })
    }
  }
}
