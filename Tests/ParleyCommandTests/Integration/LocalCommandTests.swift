import Foundation
import ParleyProtocol
import TestPeers
import Testing

extension CommandTests {
  @Suite("works without a gateway")
  struct LocalCommandTests {
    @Test("checks settings, and prints a starting configuration")
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

    @Test("explains a token with the keys of the settings, and never shows it")
    func tokens() throws {
      let directory = try TemporaryDirectory()
      let settings = directory.path(of: "parley.yaml")
      try "auth:\n  mode: token\n  jwt_secret: your-256-bit-secret\n".write(
        toFile: settings, atomically: false, encoding: .utf8)
      // {"alg":"HS256","typ":"JWT"} and {"sub":"1234567890","name":"John Doe","iat":1516239022}
      let token =
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwia"
        + "WF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
      let right = try CommandProcess([
        "token", "explain", token, "--config", settings, "--for", "1234567890", "--json",
      ]).finish()
      #expect(right.status == 0, "\(right.errors)")
      #expect(try right.json["is_accepted"]?.bool == true)
      let process = try CommandProcess(["token", "explain", "--for", "ada"])
      try process.type(token + "\n")
      let other = try process.finish()
      #expect(other.status == 1)
      #expect(other.output.contains("unchecked") && other.output.contains("WRONG"))
      #expect(other.errors.contains("another user's"), "\(other.errors)")
      #expect(other.errors.contains("the signature was not checked"))
      #expect(!other.output.contains(token) && !other.errors.contains(token))
      let missing = try CommandProcess(["token", "explain", token, "--public-key", "/nonexistent"])
        .finish()
      #expect(missing.status == 64 && missing.errors.contains("/nonexistent"))
    }

    @Test("completes commands in each shell", arguments: ["bash", "zsh", "fish"])
    func completion(shell: String) throws {
      let script = try CommandProcess(["completion", shell]).finish()
      #expect(script.status == 0)
      #expect(script.output.contains("moderation"))
    }

    @Test("prints help")
    func help() throws {
      let help = try CommandProcess(["channel", "--help"]).finish()
      #expect(help.status == 0)
      #expect(help.output.contains("EXAMPLES"))
    }
  }
}
