internal import Glibc

/// Has the terminal hand over each key as it is pressed, and show none by itself.
struct RawMode {
  private let before: termios

  /// Begins; `nil` when the input is no terminal.
  init?() {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    before = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    settings.c_iflag &= ~tcflag_t(IXON | ICRNL)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else { return nil }
  }

  /// Puts the terminal back as it was.
  func end() {
    var settings = before
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }
}
