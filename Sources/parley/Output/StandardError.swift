internal import Glibc

/// What is said beside the command's answer.
enum StandardError {
  /// Writes a line; one that can't be written is lost.
  static func write(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}
