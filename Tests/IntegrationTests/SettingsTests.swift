import Foundation
import ParleyProtocol
import Testing
import TestPeers

extension ServerTests {
  @Suite("that validates its settings")
  struct SettingsTests {
    @Test(
      "does not start with invalid flags, and names them",
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

    @Test("checks them and exits, changing nothing")
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

    @Test("with --deep tests the resources that they name, and changes nothing")
    func deepCheck() throws {
      let directory = try TemporaryDirectory()
      let data = directory.path(of: "data")
      func check(_ flags: [String], in data: String) throws -> (Parleyd.Ending, String) {
        let process = try Parleyd(["--check-config", "--deep", "--data-dir", data] + flags)
        return (try process.waitForEnd(), process.log.text)
      }
      let good = try check(["--listen", "127.0.0.1:0"], in: data)
      #expect(good.0 == .exited(0), "\(good.1)")
      #expect(good.1.contains("will be made at the start") && good.1.contains("is free"))
      #expect(!FileManager.default.fileExists(atPath: data))

      let server = try ServerProcess()
      let own = try check(
        ["--listen", "127.0.0.1:\(server.port)"], in: server.directory.path(of: "data"))
      #expect(own.0 == .exited(0), "\(own.1)")
      #expect(own.1.contains("by the running server, process \(server.process.id)"))
      let other = try check(["--listen", "127.0.0.1:\(server.port)"], in: data)
      #expect(other.0 == .exited(EX_CONFIG))
      #expect(other.1.contains("problem  listen: 127.0.0.1:\(server.port) is in use"), "\(other.1)")

      let port = server.port
      try server.stop()
      let services = [
        "--listen", "127.0.0.1:0", "--unfurl-mode", "http", "--unfurl-url",
        "http://127.0.0.1:\(port)/unfurl", "--audit-log", directory.path(of: "none/audit.log"),
      ]
      let unreachable = try check(services, in: "/dev/null")
      #expect(unreachable.0 == .exited(EX_CONFIG))
      for setting in ["unfurl.url", "audit.log", "data_dir"] {
        #expect(unreachable.1.contains("problem  \(setting): "), "\(setting): \(unreachable.1)")
      }
      let alone = try Parleyd(["--deep", "--data-dir", data])
      #expect(try alone.waitForEnd() == .exited(EX_USAGE))
    }

    @Test(
      "refuses with --check-config whatever startup refuses, in the same words",
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

    @Test(
      "reports startup errors as JSON, wherever log.format is set",
      arguments: [
        (["--log-format", "json"], [:]), ([], ["PARLEY_LOG_FORMAT": "json"]),
        (["--config", "parley.yaml"], [:]),
      ] as [([String], [String: String])])
    func failuresInJSON(arguments: [String], environment: [String: String]) throws {
      let directory = try TemporaryDirectory()
      let file = directory.path(of: "parley.yaml")
      try Data("log.format: json\n".utf8).write(to: URL(fileURLWithPath: file))
      let format = arguments.map { $0 == "parley.yaml" ? file : $0 }
      let data = ["--data-dir", directory.path(of: "data"), "--listen", "127.0.0.1:0"]
      func failure(_ flags: [String], _ status: Int32) throws -> [JSONNode] {
        let process = try Parleyd(format + data + flags, environment: environment)
        #expect(try process.waitForEnd() == .exited(status))
        return try process.log.lines.filter { !$0.isEmpty }.map {
          try JSONDocument(Array($0.utf8)).root
        }
      }
      let wrong = try failure(["--reactors", "0", "--limits-flod", "5"], EX_CONFIG)
      #expect(wrong.count == 2)
      #expect(wrong.allSatisfy { $0["level"]?.string == "critical" })
      #expect(
        Set(wrong.compactMap { $0["metadata"]?["setting"]?.string }) == [
          "reactors", "--limits-flod",
        ])
      let key = try failure(["--auth-jwt-public-key", "/nonexistent/key.pem"], EX_CONFIG)
      #expect(key.first?["metadata"]?["setting"]?.string == "auth.jwt_public_key")
      let busy = try PageServer(page: "")
      defer { busy.stop() }
      let port = try failure(["--operations-listen", "127.0.0.1:\(busy.port)"], EX_UNAVAILABLE)
      let reason = port.last?["metadata"]?["reason"]?.string ?? ""
      #expect(reason.contains("\(busy.port)"), "\(port.count) lines")
    }

    @Test("prefers a flag to the environment, and that to the file")
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

    @Test("does not start on a directory or a port in use, and names it")
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

    @Test("names an unreadable certificate")
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
