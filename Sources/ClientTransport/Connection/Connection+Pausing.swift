internal import Reactor
internal import Streams

/// Reading less than comes, as a slow consumer does.
extension Connection {
  /// Stops reading; what comes stays with the kernel, and then with the server.
  package func pauseReading() {
    isReadingPaused = true
    refreshInterest()
  }

  /// Reads again all that comes.
  package func resumeReading() {
    isReadingPaused = false
    refreshInterest()
  }

  /// Reads once, although reading is paused.
  ///
  /// - Parameter limit: The most bytes to read; more than the loop's buffer holds are not read.
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
