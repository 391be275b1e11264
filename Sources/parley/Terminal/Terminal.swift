internal import ArgumentParser
internal import Glibc

/// What the process's input and output are connected to.
enum Terminal {
  static let isInput = isatty(STDIN_FILENO) == 1
  static let isOutput = isatty(STDOUT_FILENO) == 1
  static let isError = isatty(STDERR_FILENO) == 1

  /// Whether somebody can be asked and shown something.
  static var isInteractive: Bool { isInput && isOutput }

  /// Its size in characters, or that of old terminals when it does not say.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Writes at once, all of it.
  static func write(_ text: String) {
    write(text, to: STDOUT_FILENO)
  }

  /// The same beside the command's answer.
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

/// Asks before something is lost.
struct Confirmation: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Don't ask. Nobody is asked unless on a terminal.")
  var yes = false

  /// Goes on, or ends the command when the answer is not yes.
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
