/// A notification of a daemon to its supervisor, as documented in sd_notify(3).
enum Notice: Sendable, Hashable {
  /// It serves; said at the start and after reading files again.
  case ready
  /// It reads files again; the time is that of the monotonic clock, in microseconds.
  case reloading(at: Int64)
  /// It begins to end.
  case stopping
  /// Its event loops take turns.
  case alive

  /// One datagram: assignments, a line each.
  var datagram: [UInt8] { Array(lines.joined(separator: "\n").utf8) }

  private var lines: [String] {
    switch self {
    case .ready: ["READY=1", "STATUS=serving"]
    case .reloading(let time):
      ["RELOADING=1", "MONOTONIC_USEC=\(time)", "STATUS=reading files again"]
    case .stopping: ["STOPPING=1", "STATUS=draining"]
    case .alive: ["WATCHDOG=1"]
    }
  }
}
