import CLinux
import Glibc

/// The number of descriptors that this process may have open.
package enum DescriptorLimit {
  /// Raises the soft limit to the hard one.
  ///
  /// - Returns: The limit now in force.
  package static func raise() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    if limit.rlim_cur < limit.rlim_max {
      var raised = limit
      raised.rlim_cur = limit.rlim_max
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }
}

/// Waits for signals one at a time, so that they do not interrupt any code.
package struct SignalWait: Sendable {
  /// The signal that the process sends to itself to end the wait.
  private static let end = SIGUSR1

  private let signals: sigset_t

  /// Blocks the signals in this thread and in all threads that it starts.
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
