import Foundation
import ParleyProtocol
import Testing
import TestPeers

extension ServerTests {
  @Suite("whose settings are looked at")
  struct SettingsTests {
    @Test(
      "does not start with what it does not know, and names it",
      arguments: [
        (["--limits-flod-messages", "5"], "--limits-flod-messages"),
        (["--listen", "nowhere"], "listen"),
        (["--limits-flood-messages", "-1"], "limits.flood.messages"),
        (["--reactors", "many"], "reactors"),
        (["--auth-mode", "sometimes"], "auth.mode"),
        (["--tls-listen", "127.0.0.1:0"], "tls.certificate"),
        (["--config", "/nonexistent/parley.yaml"], "/nonexistent/parley.yaml"),
      ])
    func wrongFlag(arguments: [String], culprit: String) throws {
      let directory = try TemporaryDirectory()
      let process = try Parleyd(arguments + ["--data-dir", directory.path(of: "data")])
      #expect(try process.waitForEnd() == .exited(EX_CONFIG))
      #expect(process.log.text.contains(culprit))
      #expect(!FileManager.default.fileExists(atPath: directory.path(of: "data")))
    }

    @Test("does not start with an unknown environment variable or key, and names all of them")
    func environmentAndFile() throws {
      let directory = try TemporaryDirectory()
      let file = directory.path(of: "parley.yaml")
      try Data("limits.flod.messages: 5\nreactors: none\n".utf8)
        .write(to: URL(fileURLWithPath: file))
      let process = try Parleyd(
        ["--config", file, "--data-dir", directory.path(of: "data")],
        environment: ["PARLEY_LISTN": "127.0.0.1:0"])
      #expect(try process.waitForEnd() == .exited(EX_CONFIG))
      for culprit in ["limits.flod.messages", "reactors", "PARLEY_LISTN", "parley.yaml"] {
        #expect(process.log.text.contains(culprit), "\(culprit)")
      }
    }

    @Test("checks them and exits, touching nothing")
    func check() throws {
      let directory = try TemporaryDirectory()
      let data = ["--data-dir", directory.path(of: "data"), "--check-config"]
      let good = try Parleyd(data + ["--listen", "127.0.0.1:0"])
      #expect(try good.waitForEnd() == .exited(0))
      #expect(good.log.text.contains("valid"))
      let bad = try Parleyd(data + ["--drain-timeout-ms", "soon"])
      #expect(try bad.waitForEnd() == .exited(EX_CONFIG))
      #expect(bad.log.text.contains("drain.timeout_ms"))
      #expect(!FileManager.default.fileExists(atPath: directory.path(of: "data")))
    }

    @Test(
      "refuses with --check-config what the start refuses, in the same words",
      arguments: [
        ["--proxy-trusted", "10.1.2.3/8"], ["--unfurl-allow-addresses", "10.1.2.3/8"],
        ["--listen", "chat.example.com:80"], ["--listen", "127.0.0.1"],
        ["--unfurl-allow-ports", ""], ["--unfurl-deny-domains", "a b"],
        ["--unfurl-opt-out-file", "/nonexistent/list"],
        ["--auth-jwt-public-key", "/nonexistent/key.pem"],
        [
          "--tls-listen", "127.0.0.1:0", "--tls-certificate", "/nonexistent/a.pem",
          "--tls-private-key", "/nonexistent/b.pem",
        ],
        ["--tls-listen", "127.0.0.1:0"], ["--reactors", "0"],
      ])
    func sameWords(arguments: [String]) throws {
      let directory = try TemporaryDirectory()
      let data = ["--data-dir", directory.path(of: "data")]
      let checked = try Parleyd(arguments + data + ["--check-config"])
      #expect(try checked.waitForEnd() == .exited(EX_CONFIG))
      let started = try Parleyd(arguments + data)
      #expect(try started.waitForEnd() == .exited(EX_CONFIG))
      #expect(!checked.log.text.isEmpty)
      #expect(checked.log.text == started.log.text)
      #expect(!FileManager.default.fileExists(atPath: directory.path(of: "data")))
    }

    @Test("takes a flag before the environment, and that before the file")
    func precedence() throws {
      let directory = try TemporaryDirectory()
      let file = directory.path(of: "parley.yaml")
      try Data("limits.flood.messages: 1\nlimits.flood.window_ms: 7001\n".utf8)
        .write(to: URL(fileURLWithPath: file))
      let server = try ServerProcess(
        ["--config", file, "--limits-flood-messages", "3"],
        environment: ["PARLEY_LIMITS_FLOOD_MESSAGES": "2"])
      let flood = try server.connect().call("session.open") { $0.member("user_id", "jeff") }[
        "limits"]?["flood"]
      #expect(flood?["messages"]?.integer == 3)
      #expect(flood?["window_ms"]?.integer == 7001)
    }

    @Test("does not start on a directory or a port that another has, and names it")
    func conflicts() throws {
      let server = try ServerProcess()
      let data = server.directory.path(of: "data")
      let second = try Parleyd(["--listen", "127.0.0.1:0", "--data-dir", data])
      #expect(try second.waitForEnd() == .exited(EX_UNAVAILABLE))
      #expect(second.log.text.contains(data))

      let other = try TemporaryDirectory()
      let busy = try PageServer(page: "")
      defer { busy.stop() }
      let third = try Parleyd([
        "--listen", "127.0.0.1:\(busy.port)", "--data-dir", other.path(of: "data"),
      ])
      #expect(try third.waitForEnd() == .exited(EX_UNAVAILABLE))
      #expect(third.log.text.contains("\(busy.port)"))
      #expect(try server.get("/readyz").status == 200)
      try server.kill()
      let next = try ServerProcess(in: server.directory)
      #expect(try next.stop() == .exited(0))
    }

    @Test("names a certificate that can't be read")
    func certificate() throws {
      let directory = try TemporaryDirectory()
      let process = try Parleyd([
        "--listen", "127.0.0.1:0", "--data-dir", directory.path(of: "data"),
        "--tls-listen", "127.0.0.1:0", "--tls-certificate", directory.path(of: "none.pem"),
        "--tls-private-key", directory.path(of: "none.key"),
      ])
      #expect(try process.waitForEnd() == .exited(EX_CONFIG))
      #expect(process.log.text.contains("none.pem"))
    }
  }
}
