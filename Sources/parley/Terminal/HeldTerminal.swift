internal import Glibc
internal import Synchronization

/// A terminal in the hands of the process: each key comes as it is pressed, and none is shown.
///
/// It is given back by ``release()`` and, should a signal end or stop the process, before that; when
/// the process goes on, it is taken again.
final class HeldTerminal: Sendable {
  /// What is written when the terminal is taken and given back.
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

  /// Takes the terminal; `nil` when input or output is none.
  ///
  /// - Parameter redraw: Shows everything anew, after a stop and when the size has changed.
  init?(_ look: Look, redraw: @escaping @Sendable () -> Void) {
    guard Terminal.isInteractive, let rawMode = RawMode() else { return nil }
    self.look = look
    self.rawMode = rawMode
    self.redraw = redraw
    TerminalSignals.deliver { [weak self] in self?.receive(signal: $0) }
    take()
  }

  /// Gives the terminal back.
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
