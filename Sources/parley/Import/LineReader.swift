internal import Glibc
internal import Reactor

/// Reads a file or the standard input line by line.
final class LineReader {
  /// The maximum length of a line in bytes.
  static let lineLimit = 4_194_304

  private let descriptor: Int32
  private let name: String
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  private var step = [UInt8](repeating: 0, count: 262_144)

  /// - Parameter path: `-` for the standard input.
  init(_ path: String) throws {
    name = path == "-" ? "standard input" : path
    descriptor =
      path == "-"
      ? STDIN_FILENO : Kernel.uninterrupted { Kernel.open(path, O_RDONLY | O_CLOEXEC, 0) }
    guard descriptor >= 0 else { throw SystemError.last("open", on: path) }
  }

  deinit {
    if descriptor > STDERR_FILENO { Kernel.close(descriptor) }
  }

  /// The next line without its end; `nil` after the last.
  ///
  /// A line beyond ``lineLimit`` is cut off there, and its rest is skipped.
  func next() throws -> [UInt8]? {
    var line: [UInt8] = []
    while true {
      if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
        append(buffer[start..<end], to: &line)
        start = end + 1
        return line
      }
      append(buffer[start...], to: &line)
      let isEmpty = start == buffer.count
      (buffer, start) = ([], 0)
      guard !isAtEnd else { return line.isEmpty && isEmpty ? nil : line }
      try fill()
      if isAtEnd, line.isEmpty { return nil }
    }
  }

  private func append(_ bytes: ArraySlice<UInt8>, to line: inout [UInt8]) {
    line += bytes.prefix(max(Self.lineLimit - line.count, 0))
  }

  private func fill() throws {
    let count = Kernel.uninterrupted {
      step.withUnsafeMutableBytes { Kernel.read(descriptor, $0.baseAddress, $0.count) }
    }
    guard count >= 0 else { throw SystemError.last("read", on: name) }
    isAtEnd = count == 0
    buffer = Array(step[..<count])
  }
}
