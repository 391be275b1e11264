internal import Glibc

/// Has the terminal hand over each key as it is pressed, and show none by itself; Ctrl-Z alone keeps
/// its meaning.
struct RawMode {
  private let before: termios
  private let raw: termios

  /// `nil` when the input is no terminal.
  init?() {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    before = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    settings.c_iflag &= ~tcflag_t(IXON | ICRNL)
    withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      // 0 is _POSIX_VDISABLE: these keys come as bytes like the others.
      for index in [VINTR, VQUIT] { characters[Int(index)] = 0 }
    }
    raw = settings
  }

  func begin() {
    var settings = raw
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }

  /// Puts the terminal back as it was.
  func end() {
    var settings = before
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }
}
