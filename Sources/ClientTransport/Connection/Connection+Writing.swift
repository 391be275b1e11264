internal import Reactor
internal import Streams

extension Connection {
  /// Queues bytes; they leave at the end of the turn.
  func write(_ bytes: [UInt8]) {
    if case .closed = stage { return }
    guard !bytes.isEmpty else { return }
    bytes.withUnsafeBytes { stream.append($0) }
    scheduleFlush()
  }

  func scheduleFlush() {
    if stream.scheduleFlush() { context.needsFlush(self) }
  }

  /// Writes what waits, as far as the kernel takes it.
  func flush() {
    var writes = SocketStream.Writes()
    switch stream.flush(&writes, using: context.resources, departing: { _, _ in }) {
    case .flushed:
      if case .connecting = stage { return }
      setInterest(readInterest)
    case .blocked: setInterest(readInterest.union(.writable))
    case .failed: writingFailed()
    case .brokeTLS(let error): end(.lost, "\(error)")
    }
  }

  func setInterest(_ wanted: Readiness) {
    do throws(SystemError) {
      try stream.setInterest(wanted, on: context.loop)
    } catch {
      // The kernel would not say when to go on. The owner may be in the middle of something.
      let (confined, reason) = (LoopBound(self), error.description)
      context.poster { _ in confined.value.socketDidEnd(because: reason) }
    }
  }

  /// Reads the server's last bytes, which may hold the reason for the failure.
  private func writingFailed() {
    stream.dropQueued()
    isReadingPaused = false
    setInterest(.readable)
  }
}
