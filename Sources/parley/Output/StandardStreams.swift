internal import Glibc
internal import Reactor

/// Reads the standard input.
enum StandardInput {
  /// Reads until the end or up to a limit in bytes.
  static func read(upTo limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var step = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < limit {
      let wanted = min(step.count, limit - bytes.count)
      let count = Kernel.uninterrupted {
        step.withUnsafeMutableBytes { Kernel.read(STDIN_FILENO, $0.baseAddress, wanted) }
      }
      guard count >= 0 else { throw SystemError.last("read", on: "standard input") }
      guard count > 0 else { break }
      bytes += step[..<count]
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
  /// Flushes the printed output.
  ///
  /// - Throws: ``CommandFailure/unwritable(_:)`` if the output was lost, as on a full disk.
  static func flush() throws {
    guard fflush(nil) != 0 else { return }
    throw CommandFailure.unwritable(String(cString: strerror(errno)))
  }
}
