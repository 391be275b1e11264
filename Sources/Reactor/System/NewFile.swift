import Glibc

/// A file that this process creates and writes from start to end.
package final class NewFile: Sendable {
  private let descriptor: Int32
  private let path: String

  /// Creates a file that only its owner may read.
  ///
  /// - Throws: `EEXIST` when the path exists.
  package init(at path: String) throws(SystemError) {
    descriptor = Kernel.uninterrupted {
      Kernel.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
    self.path = path
    guard descriptor >= 0 else { throw .last("open", on: path) }
  }

  deinit {
    Kernel.close(descriptor)
  }

  /// Appends all the bytes; on failure, any number of them may have been written.
  package func append(_ bytes: [UInt8]) throws(SystemError) {
    try Kernel.write(all: bytes, to: descriptor, named: path)
  }

  /// Waits until the file's bytes are on disk.
  ///
  /// If this fails, the bytes may never reach the disk: the kernel may have discarded them, so a
  /// successful second call proves nothing.
  package func synchronize() throws(SystemError) {
    guard Kernel.uninterrupted({ Kernel.synchronize(descriptor) }) == 0 else {
      throw .last("fsync", on: path)
    }
  }
}

/// Files that other users of the machine must not read, regardless of the umask.
package enum PrivateFile {
  private static let others: mode_t = 0o077

  /// Creates an SQLite database file with mode 0600 if it is missing.
  ///
  /// For an existing one, removes the permissions of others from the file, its log and its index.
  ///
  /// SQLite applies the mode of the database to the files that it creates beside it. A failure is
  /// reported by SQLite when it opens the file, or is visible in ``isOpenToOthers(_:)``.
  package static func prepareDatabase(_ path: String) {
    let descriptor = Kernel.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor >= 0 { Kernel.close(descriptor) }
    for suffix in ["", "-wal", "-shm"] { closeToOthers(path + suffix) }
  }

  /// Whether the group or others have any permission on a file or directory.
  package static func isOpenToOthers(_ path: String) -> Bool {
    mode(of: path).map { $0 & others != 0 } ?? false
  }

  private static func closeToOthers(_ path: String) {
    guard let mode = mode(of: path), mode & others != 0 else { return }
    chmod(path, mode & 0o700)
  }

  private static func mode(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }
}
