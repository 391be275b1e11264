internal import ClientTransport
internal import Reactor
internal import Streams

extension ClientConnection {
  /// Queues bytes; they are written at the end of the turn.
  func write(_ bytes: [UInt8]) {
    if case .closed = stage { return }
    guard !bytes.isEmpty else { return }
    bytes.withUnsafeBytes { stream.append($0) }
    scheduleFlush()
  }

  func scheduleFlush() {
    if stream.scheduleFlush() { context.needsFlush(self) }
  }

  /// Writes queued bytes, as many as the kernel accepts.
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
      // The kernel would not report when to continue. The owner may be in the middle of an operation.
      let (bound, reason) = (LoopBound(self), error.description)
      context.poster { _ in bound.value.socketDidEnd(because: reason) }
    }
  }

  /// Reads the server's last bytes, which may contain the reason for the failure.
  private func writingFailed() {
    stream.dropQueued()
    isReadingPaused = false
    setInterest(.readable)
  }
}

/// Reading less than arrives, as a slow consumer does.
extension ClientConnection {
  /// Stops reading; further bytes remain in the kernel, and then at the server.
  package func pauseReading() {
    isReadingPaused = true
    refreshInterest()
  }

  /// Resumes reading.
  package func resumeReading() {
    isReadingPaused = false
    refreshInterest()
  }

  /// Reads once, although reading is paused.
  ///
  /// - Parameter limit: The maximum number of bytes to read, bounded by the loop's buffer.
  package func read(atMost limit: Int) {
    guard case .open = stage, limit > 0 else { return }
    let buffer = context.resources.readBuffer
    receive(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(limit, buffer.count)]))
  }

  var readInterest: Readiness { isReadingPaused ? [] : .readable }

  private func refreshInterest() {
    guard case .open = stage else { return }
    setInterest(
      stream.interest.contains(.writable) ? readInterest.union(.writable) : readInterest)
  }
}
