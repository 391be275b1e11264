import Glibc

/// Takes signals one after the other, instead of letting them interrupt something.
package struct SignalWait: Sendable {
  /// Sent by the process to itself when there is nothing more to wait for.
  private static let end = SIGUSR1

  private let signals: sigset_t

  /// Blocks the signals for this thread and all that it starts.
  package init(_ signals: [Int32]) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals + [Self.end] { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    self.signals = set
  }

  /// Waits for the next signal; `nil` after ``finish()``.
  package func next() -> Int32? {
    var set = signals
    var signal: Int32 = 0
    repeat {} while sigwait(&set, &signal) != 0
    return signal == Self.end ? nil : signal
  }

  /// Ends the wait, from any thread.
  package func finish() {
    kill(getpid(), Self.end)
  }
}
