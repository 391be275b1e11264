internal import Dispatch
internal import Glibc

/// Reads standard input without holding a task's thread.
struct TypedInput {
  private let queue = DispatchQueue(label: "parley.input")

  /// Waits for some bytes; `nil` at the end.
  func next() async -> [UInt8]? {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Self.read()) }
    }
  }

  private static func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      return count > 0 ? Array(buffer[..<count]) : nil
    }
  }
}
