import Glibc
import Reactor
import TestPeers
import Testing

@testable import Gateway

@Suite("A command that prints master keys")
struct MasterKeyCommandTests {
  private func refusal(of command: String, within limit: Int64) -> String? {
    do throws(StartError) {
      _ = try MasterKeyCommand.run(command, within: limit)
      return nil
    } catch {
      return error.description
    }
  }

  @Test("gives all that it prints until it has ended")
  func prints() throws {
    #expect(
      try MasterKeyCommand.run("printf 'a b\n'; sleep 0.05; printf c") == Array("a b\nc".utf8))
    #expect(try MasterKeyCommand.run("printf a; exec >&-; sleep 0.05") == Array("a".utf8))
  }

  @Test("is not used when it fails")
  func fails() throws {
    let reason = try #require(refusal(of: "printf a; exit 3", within: 10_000))
    #expect(reason.contains("wait status 768"))
  }

  @Test(
    "does not hold its caller when it does not end, or prints without end",
    arguments: [
      "sleep 60", "printf a; exec >&-; sleep 60", "sleep 60 & printf a; exec >&-; wait",
      "trap '' TERM; printf a; sleep 60", "yes",
    ])
  func isBounded(command: String) throws {
    let start = SystemClock.monotonicMilliseconds
    let reason = try #require(refusal(of: command, within: 300))
    #expect(reason.hasPrefix("files.master_key_command: "))
    #expect(reason.contains("has not ended"))
    #expect(SystemClock.monotonicMilliseconds - start < 30_000)
  }

  @Test("is killed with the processes that it has started")
  func isKilledWhole() throws {
    let directory = try TemporaryDirectory()
    let mark = directory.path(of: "mark")
    let command = "(sleep 1; touch '\(mark)') & exec >&-; wait"
    #expect(refusal(of: command, within: 200) != nil)
    usleep(1_500_000)
    #expect(access(mark, F_OK) != 0)
  }
}
