import Foundation
import TestPeers
import Testing

extension CommandTests {
  @Suite("works without a gateway")
  struct LocalCommandTests {
    @Test("checks settings, and prints those to start from")
    func config() throws {
      let directory = try TemporaryDirectory()
      let path = directory.path(of: "parley.yaml")
      let defaults = try CommandProcess(["config", "defaults"]).finish()
      try defaults.output.write(toFile: path, atomically: false, encoding: .utf8)
      #expect(try CommandProcess(["config", "check", path]).finish().status == 0)
      try "listn: x\n".write(toFile: path, atomically: false, encoding: .utf8)
      let wrong = try CommandProcess(["config", "check", path]).finish()
      #expect(wrong.status == 1)
      #expect(wrong.errors.contains("listn"))
    }

    @Test("completes commands in each shell", arguments: ["bash", "zsh", "fish"])
    func completion(shell: String) throws {
      let script = try CommandProcess(["completion", shell]).finish()
      #expect(script.status == 0)
      #expect(script.output.contains("moderation"))
    }

    @Test("helps")
    func help() throws {
      let help = try CommandProcess(["channel", "--help"]).finish()
      #expect(help.status == 0)
      #expect(help.output.contains("EXAMPLES"))
    }
  }
}
