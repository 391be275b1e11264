import Foundation
import Synchronization
import TestPeers
import TestSupport

/// One of the examples, as a child process whose input and output are at hand.
final class ExampleProcess: Sendable {
  private let process = Process()
  private let input = Pipe()
  private let output = Output()
  private let name: String

  /// Starts one; it was built beside the tests.
  init(_ name: String, _ arguments: [String]) throws {
    self.name = name
    process.executableURL = Self.file(of: name)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardInput = input
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    try pipe.fileHandleForWriting.close()
    // Not holding the process, which ends with whoever started it.
    TestThread.start { [output] in
      while case let bytes = pipe.fileHandleForReading.availableData, !bytes.isEmpty {
        output.text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
      }
    }
  }

  deinit {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private static func file(of name: String) -> URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent(name)
  }

  /// The names of the shared libraries that an example is linked with, such as `libz.so.1`.
  static func libraries(of name: String) throws -> [String] {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/ldd")
    process.arguments = [file(of: name).path]
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(separator: "\n").compactMap { line in
      line.split(whereSeparator: \.isWhitespace).first.map(String.init)
    }
  }

  /// Types a line.
  func type(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Closes its input, and waits for its end.
  ///
  /// - Returns: Its exit status.
  func finish() throws -> Int32 {
    try input.fileHandleForWriting.close()
    try Deadline.standard.wait(for: "the end of \(name)") { !process.isRunning }
    return process.terminationStatus
  }

  /// Waits until it has printed a text.
  func wait(for text: String) async throws {
    do {
      try await Deadline.standard.wait(for: "'\(text)'") {
        output.text.withLock { $0.contains(text) }
      }
    } catch {
      throw TestFailure("\(name): \(error); it printed:\n\(output.text.withLock { $0 })")
    }
  }
}

/// What a process has printed so far.
private final class Output: Sendable {
  let text = Mutex("")
}
