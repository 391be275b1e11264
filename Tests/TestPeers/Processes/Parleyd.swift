import Foundation
package import TestSupport

/// One of the house's programs, as a child process that runs to its end or until it is killed.
package final class Parleyd: Sendable {
  /// How it ended.
  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
  }

  /// What it writes to standard error and standard output.
  package let log: LogLines
  private let name: String
  private let process: Process
  private let ended = DispatchSemaphore(value: 0)

  /// Starts it with flags, and with an environment that holds no other settings than these.
  ///
  /// - Parameter program: The name of the program, which is built beside the tests.
  package init(
    _ arguments: [String], environment: [String: String] = [:], program: String = "parleyd"
  ) throws {
    name = program
    process = Process()
    process.executableURL = Self.folder.appendingPathComponent(program)
    process.arguments = arguments
    process.environment = Self.environment(environment)
    let pipe = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    process.terminationHandler = { [ended] _ in ended.signal() }
    try process.run()
    try pipe.fileHandleForWriting.close()
    log = LogLines(reading: pipe.fileHandleForReading)
  }

  deinit {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// The process's number.
  package var id: Int32 { process.processIdentifier }

  /// Whether it has not ended.
  package var isRunning: Bool { process.isRunning }

  /// Sends it a signal.
  package func send(signal: Int32) {
    kill(process.processIdentifier, signal)
  }

  /// Waits for its end, and for all that it wrote.
  ///
  /// - Throws: ``TestFailure`` with its log when it goes on.
  package func waitForEnd(_ deadline: Deadline = .standard) throws -> Ending {
    let wait = DispatchTimeInterval.milliseconds(Int(deadline.remainingMilliseconds))
    guard ended.wait(timeout: .now() + wait) == .success else {
      throw TestFailure("\(name) does not end; its log:\n\(log.text)")
    }
    ended.signal()
    log.waitForEnd(deadline)
    return process.terminationReason == .exit
      ? .exited(process.terminationStatus) : .signalled(process.terminationStatus)
  }

  /// Where the tests are, and the programs beside them.
  private static let folder =
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

  private static func environment(_ additions: [String: String]) -> [String: String] {
    var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PARLEY_") }
    // An orphaned backtracer would hold the log open.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    return variables.merging(additions) { $1 }
  }
}
