import Glibc

/// A file that this process makes and writes from its beginning to its end.
package final class NewFile: Sendable {
  private let descriptor: Int32
  private let path: String

  /// Makes a file that only its owner may read.
  ///
  /// - Throws: `EEXIST` when the path is taken.
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

  /// Appends all the bytes; after a failure, any number of them.
  package func append(_ bytes: [UInt8]) throws(SystemError) {
    try Kernel.write(all: bytes, to: descriptor, named: path)
  }

  /// Waits until the file's bytes are on disk.
  ///
  /// After a failure they never are: the kernel may have dropped them, so a second call proves
  /// nothing.
  package func synchronize() throws(SystemError) {
    guard Kernel.uninterrupted({ Kernel.synchronize(descriptor) }) == 0 else {
      throw .last("fsync", on: path)
    }
  }
}

/// Files that other users of the machine must not read, whatever the umask.
package enum PrivateFile {
  private static let others: mode_t = 0o077

  /// Makes an SQLite database file with mode 0600 if it is missing, and takes the rights of others
  /// away from one that is there, its log and its index.
  ///
  /// SQLite gives the mode of the database to what it makes beside it. A failure is SQLite's to report
  /// when it opens the file, or shows in ``isOpenToOthers(_:)``.
  package static func prepareDatabase(_ path: String) {
    let descriptor = Kernel.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor >= 0 { Kernel.close(descriptor) }
    for suffix in ["", "-wal", "-shm"] { closeToOthers(path + suffix) }
  }

  /// Whether the group or others have any right to a file or directory.
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
