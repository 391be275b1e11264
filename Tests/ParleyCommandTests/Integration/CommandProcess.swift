import Foundation
import ParleyProtocol
import Synchronization
import TestPeers
import TestSupport

/// The command line as a child process, whose input and output are at hand.
final class CommandProcess: Sendable {
  private let process = Process()
  private let input = Pipe()
  private let output = Text()
  private let errors = Text()

  /// Starts it; it was built beside the tests.
  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("parley")
    process.arguments = arguments
    let nowhere = ["XDG_CONFIG_HOME": "/nonexistent"]
    let inherited = ProcessInfo.processInfo.environment.filter {
      !$0.key.hasPrefix("PARLEY_") && !$0.key.hasSuffix("_proxy")
    }
    process.environment = inherited.merging(nowhere.merging(environment) { $1 }) { $1 }
    process.standardInput = input
    process.standardOutput = try output.pipe()
    process.standardError = try errors.pipe()
    try process.run()
    try output.closeWriter()
    try errors.closeWriter()
  }

  deinit {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Types something.
  func type(_ text: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  /// Closes its input, and waits for its end.
  func finish() throws -> Outcome {
    try input.fileHandleForWriting.close()
    return try waitForEnd()
  }

  /// Waits for its end.
  func waitForEnd() throws -> Outcome {
    try Deadline.in(seconds: 120).wait(for: "the end of parley; it printed:\n\(output.value)") {
      !process.isRunning && output.isComplete && errors.isComplete
    }
    return Outcome(
      status: process.terminationStatus, output: output.value, errors: errors.value)
  }

  /// Whether it has printed a text.
  func hasPrinted(_ text: String) -> Bool { output.value.contains(text) }

  /// Waits until it has printed a text.
  func wait(for text: String) throws {
    do {
      try Deadline.standard.wait(for: "'\(text)'") { hasPrinted(text) }
    } catch {
      throw TestFailure("\(error); it printed:\n\(output.value)\n\(errors.value)")
    }
  }

  /// How it ended.
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String

    /// What it printed as JSON.
    var json: JSONNode { get throws { try JSONDocument(output).root } }
  }

  /// Gathers what is written into a pipe.
  private final class Text: Sendable {
    private struct State {
      var text = ""
      var isComplete = false
    }

    private let state = Mutex(State())
    private let ends = Pipe()

    var value: String { state.withLock { $0.text } }
    var isComplete: Bool { state.withLock { $0.isComplete } }

    func pipe() throws -> Pipe {
      TestThread.start { [self] in
        let handle = ends.fileHandleForReading
        while case let bytes = handle.availableData, !bytes.isEmpty {
          state.withLock { $0.text += String(decoding: bytes, as: UTF8.self) }
        }
        state.withLock { $0.isComplete = true }
      }
      return ends
    }

    func closeWriter() throws { try ends.fileHandleForWriting.close() }
  }
}

extension ServerProcess {
  /// What the command line finds this server and its token by.
  var commandEnvironment: [String: String] {
    [
      "PARLEY_CLI_SERVER": "http://127.0.0.1:\(port)",
      "PARLEY_CLI_API_TOKEN_FILE": directory.path(of: "data/api-token"),
    ]
  }

  /// Runs a command that needs no input.
  func run(_ arguments: String...) throws -> CommandProcess.Outcome {
    try run(arguments)
  }

  /// The same with arguments that are not known beforehand.
  func run(_ arguments: [String]) throws -> CommandProcess.Outcome {
    try CommandProcess(arguments, environment: commandEnvironment).finish()
  }
}
