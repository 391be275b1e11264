internal import Foundation
internal import Glibc

/// Reads the standard input.
enum StandardInput {
  /// Reads up to the end or the limit in bytes.
  static func read(upTo limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let wanted = min(65_536, limit - bytes.count)
      guard let piece = try FileHandle.standardInput.read(upToCount: wanted), !piece.isEmpty else {
        break
      }
      bytes += piece
    }
    return bytes
  }
}

extension StandardInput {
  /// Returns an argument, or the standard input if the argument is `-`.
  static func text(_ argument: String) throws -> String {
    guard argument == "-" else { return argument }
    let text = String(decoding: try read(upTo: 1_048_576), as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}

/// The standard output.
enum StandardOutput {
  /// Flushes what was printed.
  ///
  /// - Throws: ``CommandFailure/unwritable(_:)`` if the output was lost, as on a full disk.
  static func flush() throws {
    guard fflush(nil) != 0 else { return }
    throw CommandFailure.unwritable(String(cString: strerror(errno)))
  }
}

/// The standard error stream.
enum StandardError {
  /// Writes a line, ignoring errors.
  static func write(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}
