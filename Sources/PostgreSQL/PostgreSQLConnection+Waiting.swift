import CPostgreSQL
import Glibc

/// Waiting for the server, up to a deadline: libpq's own waits have none.
extension PostgreSQLConnection {
  /// Writes to the socket and reads at the same time, so that client and server do not block each other.
  func flush(by deadline: Int64) throws(PostgreSQLError) {
    while true {
      switch PQflush(handle) {
      case 0: return
      case 1: try wait(for: POLLIN | POLLOUT, by: deadline)
      default: throw lost()
      }
    }
  }

  /// The next result of the sent statements; `nil` at the end of a step's results.
  func nextResult(by deadline: Int64) throws(PostgreSQLError) -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      if PQflush(handle) < 0 { throw lost() }
      try wait(for: POLLIN, by: deadline)
    }
    return PQgetResult(handle)
  }

  /// Waits until the socket is ready, and reads the available input.
  private func wait(for events: Int32, by deadline: Int64) throws(PostgreSQLError) {
    while true {
      let left = min(deadline, options.patience?.end ?? .max) - Self.now
      guard left > 0 else {
        let isGivenUp = options.patience?.isOver ?? false
        throw PostgreSQLError(
          kind: .timedOut,
          message: isGivenUp
            ? "no answer is awaited any more" : "no answer within \(options.answerTimeout) ms")
      }
      var entry = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
      let count = poll(&entry, 1, Int32(min(left, options.patience == nil ? 60_000 : 200)))
      if count < 0, errno != EINTR { throw lost() }
      guard count > 0 else { continue }
      if entry.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0, PQconsumeInput(handle) == 0 {
        throw lost()
      }
      return
    }
  }

  /// Whether the connection is open, as far as known; reads the available input, and does not wait.
  ///
  /// Must not be called while a statement is in progress.
  package var isOpen: Bool {
    var entry = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    // A final message of the server arrives before the end of the stream.
    for _ in 0..<8 {
      guard poll(&entry, 1, 0) > 0 else { break }
      guard PQconsumeInput(handle) == 1 else { return false }
    }
    return PQstatus(handle) == CONNECTION_OK
  }

  func deadline() -> Int64 { Self.now + Int64(options.answerTimeout) }

  /// Milliseconds of the monotonic clock.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  func lost(_ sql: String = "") -> PostgreSQLError {
    PostgreSQLError(
      kind: .disconnected,
      message: PQerrorMessage(handle).map { String(cString: $0).firstLine } ?? "", sql: sql)
  }
}
