/// What a chat shows, and on a terminal the line that is being typed below it.
///
/// Whatever is shown goes above that line, which is drawn again: neither tears the other.
actor ChatScreen {
  /// How lines are typed.
  enum Mode {
    /// Key by key, drawn here.
    case editing(prompt: String)
    /// Whole lines, from a pipe.
    case lines
  }

  private static let eraseLine = "\r\u{1b}[K"
  /// What a terminal is given back with: the line that was being typed is taken away.
  static let look = HeldTerminal.Look(entering: "", leaving: eraseLine)

  private let mode: Mode
  private var log: ConversationLog
  private var editor = LineEditor()
  private var decoder = KeyDecoder()
  private var splitter = LineSplitter()

  init(_ mode: Mode, log: ConversationLog) {
    self.mode = mode
    self.log = log
  }

  /// Shows what is to be told of an event or a message.
  func show(_ lines: (inout ConversationLog) -> [String]) {
    let text = lines(&log).map { $0 + "\n" }.joined()
    guard !text.isEmpty else { return }
    switch mode {
    case .lines: Terminal.write(text)
    case .editing: Terminal.write(Self.eraseLine + text + inputLine)
    }
  }

  /// Takes what was typed.
  ///
  /// - Returns: The lines that were finished, and whether the chat is to end behind them.
  func type(_ bytes: [UInt8]) -> (lines: [String], hasEnded: Bool) {
    guard case .editing = mode else { return (splitter.receive(bytes), false) }
    var lines: [String] = []
    for key in decoder.receive(bytes) {
      switch editor.press(key) {
      case .submitted(let line): lines.append(line)
      case .ended: return (lines, true)
      case .changed, .unchanged: break
      }
    }
    Terminal.write(Self.eraseLine + inputLine)
    return (lines, false)
  }

  /// The line that the input ended in.
  func endInput() -> [String] { splitter.finish() }

  /// Shows the input line anew.
  func redraw() {
    if case .editing = mode { Terminal.write(Self.eraseLine + inputLine) }
  }

  private var inputLine: String {
    guard case .editing(let prompt) = mode else { return "" }
    let margin = DisplayWidth.of(prompt)
    let (text, column) = editor.window(width: max(8, Terminal.size.columns - margin))
    return "\(prompt)\(text)\r\u{1b}[\(max(1, margin + column))C"
  }
}

/// Cuts lines out of bytes that come in pieces.
struct LineSplitter {
  /// Longer lines are cut; a message is shorter anyway.
  static let limit = 65_536

  private var rest: [UInt8] = []

  /// The lines that are complete now.
  mutating func receive(_ bytes: [UInt8]) -> [String] {
    var lines: [String] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        lines += finish()
      } else {
        rest.append(byte)
        if rest.count >= Self.limit { lines += finish() }
      }
    }
    return lines
  }

  /// What is left at the end; an empty line is none.
  mutating func finish() -> [String] {
    defer { rest = [] }
    let line = String(decoding: rest, as: UTF8.self)
    return line.isEmpty ? [] : [line]
  }
}
