import Glibc

/// A file that is written from an offset, across several openings.
package final class GrowingFile: Sendable {
  private let descriptor: Int32
  private let path: String

  /// Opens a file, or creates one that only its owner may read.
  package init(at path: String) throws(SystemError) {
    descriptor = Kernel.uninterrupted {
      Kernel.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    }
    self.path = path
    guard descriptor >= 0 else { throw .last("open", on: path) }
  }

  deinit {
    Kernel.close(descriptor)
  }

  /// The size of the file in bytes.
  package func byteCount() throws(SystemError) -> Int64 {
    let end = Glibc.lseek(descriptor, 0, SEEK_END)
    guard end >= 0 else { throw .last("lseek", on: path) }
    return Int64(end)
  }

  /// Truncates the file, and continues writing at the new end.
  package func cut(to offset: Int64) throws(SystemError) {
    guard Kernel.uninterrupted({ Kernel.truncate(descriptor, to: offset) }) == 0 else {
      throw .last("ftruncate", on: path)
    }
    guard Glibc.lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else {
      throw .last("lseek", on: path)
    }
  }

  /// Writes all the bytes after the previous ones; on failure, any number of them may have been written.
  package func append(_ bytes: [UInt8]) throws(SystemError) {
    try Kernel.write(all: bytes, to: descriptor, named: path)
  }

  /// Writes the bytes before the end of the file to the disk, and waits for completion.
  ///
  /// A hint: nothing is durable before ``synchronize()``, which then has little left to do.
  package func writeBack(_ count: Int) {
    let end = Int64(Glibc.lseek(descriptor, 0, SEEK_CUR))
    guard end >= 0, count > 0 else { return }
    let offset = max(0, end - Int64(count))
    _ = Kernel.uninterrupted {
      Kernel.writeBack(descriptor, from: offset, Int(end - offset))
    }
  }

  /// Waits until the file's bytes are on disk; see ``NewFile/synchronize()``.
  package func synchronize() throws(SystemError) {
    guard Kernel.uninterrupted({ Kernel.synchronize(descriptor) }) == 0 else {
      throw .last("fsync", on: path)
    }
  }
}

/// The free space of a file system.
package enum FileSystemRoom {
  /// The number of bytes that the process may still write below a path; `nil` when unknown.
  package static func byteCount(below path: String) -> Int64? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let (count, isTooLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(
      by: UInt64(status.f_frsize))
    return isTooLarge ? .max : Int64(clamping: count)
  }
}
