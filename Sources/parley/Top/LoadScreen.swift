internal import Basics
internal import Glibc
internal import Synchronization

/// The output of the load display.
protocol LoadScreen {
  /// Waits for the next interval.
  ///
  /// - Returns: Whether to continue.
  func wait(for interval: Duration) -> Bool
  /// Shows the load.
  func show(_ text: LoadText)
  /// Restores the terminal.
  func end()
}

/// Draws the load on a whole terminal until `q` is pressed.
struct LiveScreen: LoadScreen {
  private static let look = HeldTerminal.Look(
    entering: "\u{1b}[?1049h\u{1b}[?25l\u{1b}[H\u{1b}[J", leaving: "\u{1b}[?25h\u{1b}[?1049l")

  /// The lines on the screen, drawn also by the thread that handles signals.
  private final class Picture: Sendable {
    private let title: String
    private let rows = Mutex<[LoadRow]>([])

    init(title: String) {
      self.title = title
    }

    func change(to new: [LoadRow]) {
      rows.withLock { $0 = new }
      draw()
    }

    func draw() {
      let (columns, height) = Terminal.size
      let head = TextStyle.standard.bold(DisplayWidth.fit("\(title)   q quits", into: columns))
      rows.withLock { rows in
        let body = rows.flatMap { $0.lines(width: columns, style: .standard) }
        let waiting = DisplayWidth.fit("waiting for the first interval …", into: columns)
        let shown = ([head, ""] + (body.isEmpty ? [waiting] : body)).prefix(height - 1)
        let text = shown.map { $0 + "\u{1b}[K\r\n" }.joined()
        Terminal.write("\u{1b}[H" + text + "\u{1b}[J")
      }
    }
  }

  private let picture: Picture
  private let terminal: HeldTerminal

  /// Takes the terminal; `nil` without one.
  init?(title: String) {
    let picture = Picture(title: DisplayText.shortened(title))
    guard let terminal = HeldTerminal(Self.look, redraw: { picture.draw() }) else { return nil }
    self.picture = picture
    self.terminal = terminal
    picture.draw()
  }

  func wait(for interval: Duration) -> Bool {
    let end = ContinuousClock.now + interval
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

  func show(_ text: LoadText) { picture.change(to: text.rows) }

  func end() { terminal.release() }
}

/// Prints one line per interval, for files and pipes.
final class PlainLoadLines: LoadScreen {
  private static let linesPerHeading = 20

  private var count = 0

  func wait(for interval: Duration) -> Bool {
    _ = poll(nil, 0, Int32((interval / .milliseconds(1)).rounded(.up)))
    return true
  }

  func show(_ text: LoadText) {
    if count % Self.linesPerHeading == 0 { Terminal.write(LoadText.heading + "\n") }
    count += 1
    Terminal.write(text.line + "\n")
  }

  func end() {}
}
