internal import ArgumentParser
internal import Glibc
internal import Reactor

/// The terminal of the process.
enum Terminal {
  static let isInput = isatty(STDIN_FILENO) == 1
  static let isOutput = isatty(STDOUT_FILENO) == 1
  static let isError = isatty(STDERR_FILENO) == 1

  /// Whether both input and output are a terminal.
  static var isInteractive: Bool { isInput && isOutput }

  /// The size in characters; 80 × 24 if it is unknown.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Writes to standard output without buffering.
  static func write(_ text: String) {
    write(text, to: STDOUT_FILENO)
  }

  /// Writes to standard error without buffering.
  static func writeError(_ text: String) {
    write(text, to: STDERR_FILENO)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        guard errno == EINTR else { return }
        continue
      }
      bytes = bytes.dropFirst(count)
    }
  }
}

/// Asks for confirmation before data is lost.
struct Confirmation: ParsableArguments {
  @Flag(
    name: .shortAndLong, help: "Skip the confirmation prompt, which is shown only on a terminal.")
  var yes = false

  /// Asks a question and ends the command unless the answer is yes.
  func ask(_ question: String) throws {
    guard !yes, Terminal.isInteractive else { return }
    Terminal.write("\(question) [y/N] ")
    let answer = readLine() ?? ""
    guard ["y", "yes"].contains(answer.lowercased()) else {
      StandardError.write("nothing was done")
      throw ExitCode(1)
    }
  }
}
