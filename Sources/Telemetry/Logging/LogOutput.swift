internal import Glibc

/// The process's standard error as the end of every log line.
enum LogOutput {
  /// Whether a person is looking at it.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes a line with one call, so that lines of several threads do not mix.
  ///
  /// What the system does not take at once is written next, unless it would have to be waited for:
  /// a reader that has stopped must not stop the server.
  static func write(_ line: String) {
    var line = line
    line.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = Glibc.write(STDERR_FILENO, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
    }
  }

  /// Unix milliseconds of the system's clock.
  static func now() -> Int64 {
    var time = timespec()
    guard clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
