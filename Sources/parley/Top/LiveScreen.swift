internal import Glibc

/// A whole terminal, drawn again each time; `q` ends it.
struct LiveScreen: LoadScreen {
  private static let enter = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[H\u{1b}[J"
  private static let leave = "\u{1b}[?25h\u{1b}[?1049l"

  private let title: String
  private let rawMode: RawMode

  /// `nil` when there is no terminal.
  init?(title: String) {
    guard Terminal.isInteractive, let rawMode = RawMode() else { return nil }
    self.rawMode = rawMode
    self.title = PlainLine.clean(title)
    Terminal.write(Self.enter + "\(self.title): looking …")
  }

  func wait(seconds: Int) -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
      let rest = ContinuousClock.now.duration(to: end) / .milliseconds(1)
      guard rest > 0 else { return true }
      var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard poll(&input, 1, Int32(rest.rounded(.up))) > 0 else { continue }
      var key: UInt8 = 0
      guard read(STDIN_FILENO, &key, 1) == 1 else { return false }
      if [UInt8(ascii: "q"), UInt8(ascii: "Q"), 3, 4].contains(key) { return false }
    }
  }

  func show(_ text: LoadText) {
    let (columns, rows) = Terminal.size
    let head = TextStyle.standard.bold(DisplayWidth.fit("\(title)   q quits", into: columns))
    let lines = text.screen.map { DisplayWidth.fit($0, into: columns) }
    let shown = ([head] + lines).prefix(rows - 1).map { $0 + "\u{1b}[K\r\n" }
    Terminal.write("\u{1b}[H" + shown.joined() + "\u{1b}[J")
  }

  func end() {
    Terminal.write(Self.leave)
    rawMode.end()
  }
}
