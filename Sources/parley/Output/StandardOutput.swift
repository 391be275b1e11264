internal import Glibc

/// What the command answers.
enum StandardOutput {
  /// Writes out what was printed.
  ///
  /// - Throws: ``CommandFailure/unwritable(_:)`` when something was lost, as on a full disk.
  static func flush() throws {
    guard fflush(nil) != 0 else { return }
    throw CommandFailure.unwritable(String(cString: strerror(errno)))
  }
}
