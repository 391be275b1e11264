internal import Foundation
internal import Synchronization

/// Signals that a program which holds a terminal has to know of, handed over on a thread of their
/// own, where more may be done than in a signal handler.
enum TerminalSignals {
  private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  private static let others = [SIGTSTP, SIGCONT, SIGWINCH]
  /// Where the handler writes; −1 until there is a pipe.
  private static let writer = Atomic<Int32>(-1)

  /// Begins to hand signals over, once in the life of the process.
  static func deliver(to receive: @escaping @Sendable (Int32) -> Void) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    let reader = ends[0]
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Loaded here first: the handler then finds it made.
    writer.store(ends[1], ordering: .sequentiallyConsistent)
    Thread { pump(reader, receive) }.start()
    for number in ending + others { handle(number) }
  }

  /// Does what a signal does to a program that knows nothing of it, and comes back when it goes on.
  static func perform(_ number: Int32) {
    signal(number, SIG_DFL)
    raise(number)
    handle(number)
  }

  private static func pump(_ reader: Int32, _ receive: (Int32) -> Void) {
    // So that perform(_:) takes effect on this thread before it returns.
    var all = sigset_t()
    sigemptyset(&all)
    for number in ending + others { sigaddset(&all, number) }
    pthread_sigmask(SIG_UNBLOCK, &all, nil)
    var number: UInt8 = 0
    while true {
      let count = read(reader, &number, 1)
      if count == 1 { receive(Int32(number)) }
      if count == 0 || (count < 0 && errno != EINTR) { return }
    }
  }

  private static func handle(_ number: Int32) {
    signal(number, note)
  }

  /// Runs as a signal handler: nothing but write(2), and errno as it was.
  private static let note: @convention(c) (Int32) -> Void = { number in
    let before = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(writer.load(ordering: .sequentiallyConsistent), &byte, 1)
    errno = before
  }
}
