internal import Basics

/// The output of a chat and, on a terminal, the input line below it.
///
/// Output is written above the input line, which is then drawn again.
actor ChatScreen {
  /// The way lines are entered.
  enum Mode {
    /// Key by key, drawn by this type.
    case editing(prompt: String)
    /// Whole lines, from a pipe.
    case lines
  }

  private static let eraseLine = "\r\u{1b}[K"
  /// Erases the input line when the terminal is released.
  static let look = HeldTerminal.Look(entering: "", leaving: eraseLine)

  private let mode: Mode
  private var log: ConversationLog
  private var editor = LineEditor()
  private var decoder = KeyDecoder()
  private var splitter = LineSplitter()
  /// The progress of an upload, shown before the prompt.
  private var progress: String?

  init(_ mode: Mode, log: ConversationLog) {
    self.mode = mode
    self.log = log
  }

  /// Shows the lines for an event or a message.
  func show(_ lines: (inout ConversationLog) -> [String]) {
    let text = lines(&log).map { $0 + "\n" }.joined()
    guard !text.isEmpty else { return }
    switch mode {
    case .lines: Terminal.write(text)
    case .editing: Terminal.write(Self.eraseLine + text + inputLine)
    }
  }

  /// Processes typed bytes.
  ///
  /// - Returns: The completed lines, and whether the chat ends after them.
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

  /// Puts a text into the input line, unless the line has text.
  ///
  /// With input from a pipe, the text could not be edited.
  func offer(_ text: String) {
    guard case .editing = mode, editor.offer(text) == .changed else { return }
    redraw()
  }

  /// Returns the last line of the input, which has no line break.
  func endInput() -> [String] { splitter.finish() }

  /// Shows the progress of an upload before the prompt; `nil` removes it.
  func setProgress(_ text: String?) {
    progress = text
    redraw()
  }

  /// Draws the input line again.
  func redraw() {
    if case .editing = mode { Terminal.write(Self.eraseLine + inputLine) }
  }

  private var inputLine: String {
    guard case .editing(let name) = mode else { return "" }
    let prompt = progress.map { "[\(DisplayText.shortened($0, limit: 40))] " + name } ?? name
    let margin = DisplayWidth.of(prompt)
    let (text, column) = editor.window(width: max(8, Terminal.size.columns - margin))
    return "\(prompt)\(text)\r\u{1b}[\(max(1, margin + column))C"
  }
}

/// Splits a stream of bytes into lines.
struct LineSplitter {
  /// The length at which lines are cut; messages are shorter.
  static let limit = 65_536

  private var rest: [UInt8] = []

  /// Returns the lines that the bytes complete.
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

  /// Returns the rest as a line, unless it is empty.
  mutating func finish() -> [String] {
    defer { rest = [] }
    let line = String(decoding: rest, as: UTF8.self)
    return line.isEmpty ? [] : [line]
  }
}
