internal import Glibc
internal import Reactor
internal import Synchronization

/// A terminal in raw mode: keys arrive as they are pressed and are not echoed.
///
/// The terminal is restored by ``release()``, and before a signal ends or stops the process. It is
/// set to raw mode again when the process continues.
final class HeldTerminal: Sendable {
  /// The sequences written when the terminal is taken and restored.
  struct Look {
    let entering: String
    let leaving: String
  }

  private enum State {
    case held
    case released
  }

  private let look: Look
  private let rawMode: RawMode
  private let state = Mutex(State.held)
  private let redraw: @Sendable () -> Void

  /// Takes the terminal; `nil` if input or output is not a terminal.
  ///
  /// - Parameter redraw: Redraws everything after a stop or a change of size.
  init?(_ look: Look, redraw: @escaping @Sendable () -> Void) {
    guard Terminal.isInteractive, let rawMode = RawMode() else { return nil }
    self.look = look
    self.rawMode = rawMode
    self.redraw = redraw
    TerminalSignals.deliver { [weak self] in self?.receive(signal: $0) }
    take()
  }

  /// Restores the terminal.
  func release() {
    let wasHeld = state.withLock { state in
      defer { state = .released }
      return state == .held
    }
    if wasHeld { giveBack() }
  }

  private func take() {
    rawMode.begin()
    Terminal.write(look.entering)
  }

  private func giveBack() {
    Terminal.write(look.leaving)
    rawMode.end()
  }

  private func receive(signal: Int32) {
    let isHeld = state.withLock { $0 == .held }
    switch signal {
    case SIGWINCH: if isHeld { redraw() }
    case SIGCONT: if isHeld { takeAgain() }
    case SIGTSTP:
      if isHeld { giveBack() }
      TerminalSignals.perform(signal)
      if isHeld { takeAgain() }
    default:
      release()
      TerminalSignals.perform(signal)
    }
  }

  private func takeAgain() {
    take()
    redraw()
  }
}

/// Raw mode of a terminal: keys arrive as they are pressed and are not echoed.
///
/// Ctrl-Z keeps its meaning.
struct RawMode {
  private let before: termios
  private let raw: termios

  /// Reads the current settings; `nil` if the input is not a terminal.
  init?() {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    before = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    settings.c_iflag &= ~tcflag_t(IXON | ICRNL)
    withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      // 0 is _POSIX_VDISABLE: these keys arrive as ordinary bytes.
      for index in [VINTR, VQUIT] { characters[Int(index)] = 0 }
    }
    raw = settings
  }

  func begin() {
    var settings = raw
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }

  /// Restores the settings.
  func end() {
    var settings = before
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }
}

/// Delivers signals relevant to a program in raw mode on a separate thread, without the
/// restrictions of a signal handler.
enum TerminalSignals {
  private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  private static let others = [SIGTSTP, SIGCONT, SIGWINCH]
  /// The descriptor that the handler writes to; −1 before the pipe exists.
  private static let writer = Atomic<Int32>(-1)

  /// Starts the delivery of signals; called once per process.
  static func deliver(to receive: @escaping @Sendable (Int32) -> Void) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    let reader = ends[0]
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Stored here first, so that the handler never initializes it.
    writer.store(ends[1], ordering: .sequentiallyConsistent)
    // Without this thread the keys still work, but the new size of the terminal is read too late.
    _ = try? Thread(name: "signals") { pump(reader, receive) }
    for number in ending + others { handle(number) }
  }

  /// Performs the default action of a signal and returns when the process continues.
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

  /// Runs as a signal handler: calls only write(2), and preserves errno.
  private static let note: @convention(c) (Int32) -> Void = { number in
    let before = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(writer.load(ordering: .sequentiallyConsistent), &byte, 1)
    errno = before
  }
}
