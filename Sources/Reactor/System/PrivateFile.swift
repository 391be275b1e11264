import Glibc

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
