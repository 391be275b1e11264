internal import ArgumentParser

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
