import Foundation
import TestPeers
import TestSupport
import Testing

@testable import Gateway

@Suite("A command that prints master keys", .onOwnThreads)
struct MasterKeyCommandTests {
  private func refusal(of command: String, within limit: Int64) -> String? {
    do throws(StartError) {
      _ = try MasterKeyCommand.run(command, within: limit)
      return nil
    } catch {
      return error.description
    }
  }

  @Test("provides all its output up to its exit")
  func prints() throws {
    #expect(
      try MasterKeyCommand.run("printf 'a b\n'; sleep 0.05; printf c") == Array("a b\nc".utf8))
    #expect(try MasterKeyCommand.run("printf a; exec >&-; sleep 0.05") == Array("a".utf8))
  }

  @Test("is not used if it fails")
  func fails() throws {
    let reason = try #require(refusal(of: "printf a; exit 3", within: 10_000))
    #expect(reason.contains("wait status 768"))
  }

  @Test(
    "does not block its caller if it does not exit, or prints without end",
    arguments: [
      "sleep 36000", "printf a; exec >&-; sleep 36000",
      "sleep 36000 & printf a; exec >&-; wait", "trap '' TERM; printf a; sleep 36000", "yes",
    ])
  func isBounded(command: String) throws {
    let deadline = Deadline.standard
    let reason = try #require(refusal(of: command, within: 300))
    #expect(reason.hasPrefix("files.master_key_command: "))
    #expect(reason.contains("has not ended"))
    #expect(!deadline.hasPassed)
  }

  @Test("is killed together with the processes that it started")
  func isKilledWhole() throws {
    let directory = try TemporaryDirectory()
    let file = directory.path(of: "process")
    let command = "sleep 36000 & echo $! >'\(file)'; exec >&-; wait"
    var process: String?
    // A slow machine may kill the shell before it has written the file.
    try Deadline.standard.wait(for: "a process") {
      #expect(refusal(of: command, within: 300) != nil)
      process = try? String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(
        in: .whitespacesAndNewlines)
      return process?.isEmpty == false
    }
    let status = "/proc/\(try #require(process))/stat"
    try Deadline.standard.wait(for: "the end of the process") {
      // One that nothing has waited for is a zombie.
      (try? String(contentsOfFile: status, encoding: .utf8))?.contains(") Z ") ?? true
    }
  }
}
