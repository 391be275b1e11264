internal import Foundation
internal import Glibc

/// What is piped into the command.
enum StandardInput {
  /// Reads to the end, or to the limit; what comes behind that is left alone.
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
  /// A text of the command line, or what is piped in when it is `-`.
  static func text(_ argument: String) throws -> String {
    guard argument == "-" else { return argument }
    let text = String(decoding: try read(upTo: 1_048_576), as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}

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

/// What is said beside the command's answer.
enum StandardError {
  /// Writes a line; one that can't be written is lost.
  static func write(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}
