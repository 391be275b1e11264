internal import Dispatch
internal import Glibc

/// Executes the typed lines.
struct ChatInput {
  private static let help =
    "/file PATH: send a file; /cancel: end its upload; /who: list participants or members; "
    + "/more: show withheld messages; /quit: leave"

  let conversation: ChatConversation
  let withheld: WithheldRange
  let uploads: ChatUploads

  /// Runs until the input ends or a line quits.
  ///
  /// Lines are executed in order while typing continues; a pipe is read one line at a time.
  func run() async {
    let (lines, line) = AsyncStream.makeStream(of: ChatLine.self)
    let worker = Task {
      for await line in lines where await !take(line) { return }
    }
    await read { typed in
      if conversation.haste == .waits {
        return await take(typed)
      }
      line.yield(typed)
      return typed != .quit
    }
    line.finish()
    await worker.value
  }

  /// Passes lines to `handOver` until the input ends or it returns `false`.
  private func read(_ handOver: (ChatLine) async -> Bool) async {
    let input = TypedInput()
    while let bytes = await input.next() {
      let (lines, hasEnded) = await conversation.screen.type(bytes)
      for text in lines where await !handOver(ChatLine(text)) { return }
      if hasEnded { return }
    }
    for text in await conversation.screen.endInput() where await !handOver(ChatLine(text)) {
      return
    }
  }

  /// - Returns: Whether to continue.
  private func take(_ line: ChatLine) async -> Bool {
    switch line {
    case .nothing: break
    case .message(let text): await conversation.say(text)
    case .file(let path): await send(path)
    case .cancel: await uploads.cancel()
    case .participants: await conversation.showPeople()
    case .withheld: await conversation.showWithheld(withheld)
    case .help: await conversation.notice(Self.help)
    case .unknown(let command): await conversation.notice("\(command) is unknown. \(Self.help)")
    case .quit: return false
    }
    return true
  }
}

extension ChatInput {
  /// Sends a file; on a terminal typing continues meanwhile, input from a pipe waits.
  private func send(_ path: String) async {
    guard !path.isEmpty else { return await conversation.notice("/file needs a path") }
    switch conversation.haste {
    case .notified: uploads.add(path)
    case .waits: await uploads.send(path)
    }
  }
}

/// A typed line: a message or a command.
enum ChatLine: Equatable {
  case nothing
  case message(String)
  case file(String)
  case cancel
  case participants
  case withheld
  case help
  case quit
  case unknown(String)

  /// Parses a line.
  ///
  /// One slash starts a command; two slashes start a text with one slash.
  init(_ line: String) {
    let text = line.trimmingWhitespace
    guard text.hasPrefix("/"), !text.hasPrefix("//") else {
      self =
        text.isEmpty ? .nothing : .message(text.hasPrefix("//") ? String(text.dropFirst()) : text)
      return
    }
    let (command, argument) = text.splitAtWhitespace
    switch command == "/file" ? command : text {
    case "/file": self = .file(argument)
    case "/cancel": self = .cancel
    case "/quit", "/exit": self = .quit
    case "/who": self = .participants
    case "/more": self = .withheld
    case "/help": self = .help
    default: self = .unknown(text)
    }
  }
}

extension String {
  /// The part before the first white space, and the part after it.
  fileprivate var splitAtWhitespace: (String, String) {
    let first = prefix { !$0.isWhitespace }
    return (String(first), String(dropFirst(first.count).drop(while: \.isWhitespace)))
  }

  fileprivate var trimmingWhitespace: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

/// Reads standard input without blocking a thread of the concurrency runtime.
struct TypedInput {
  private let queue = DispatchQueue(label: "parley.input")

  /// Returns the next bytes; `nil` at the end of the input.
  func next() async -> [UInt8]? {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Self.read()) }
    }
  }

  private static func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      return count > 0 ? Array(buffer[..<count]) : nil
    }
  }
}
