import Foundation
import ParleyProtocol
import TestPeers
import TestSupport
import Testing

extension CommandTests {
  @Suite("operates a gateway")
  struct OperationCommandTests {
    @Test("sets limits that take effect at once, and explains them")
    func limits() throws {
      let server = try ServerProcess(["--unfurl-mode", "off"])
      _ = try server.run("channel", "create", "lobby", "--custom-type", "live")
      #expect(try server.run("limits", "show").output.contains("5 in 1000 ms"))
      _ = try server.run("limits", "set", "--custom-type", "live", "--flood", "3/2000")
      let own = try server.run("limits", "set", "--channel", "lobby", "--throttle", "off")
      #expect(own.output.contains("3 in 2000 ms") && own.output.contains("off"), "\(own.errors)")
      let client = try server.open("ada")
      func explain(_ form: String...) throws -> CommandProcess.Outcome {
        try CommandProcess(
          ["limits", "explain", "--user", "ada", "--channel", "lobby"] + form,
          environment: server.commandEnvironment
        ).finish()
      }
      let explained = try explain("--json").json
      #expect(explained["flood"]?["source"]?.string == "custom_type")
      #expect(explained["throttle"]?["messages"]?.integer == 0)
      let absent = try explain().output
      #expect(absent.contains("3 in 2000 ms, by custom type; 0 used"), "\(absent)")
      #expect(absent.contains("would be refused: enter the channel"), "\(absent)")
      try client.enter("lobby")
      #expect(try explain().output.contains("a message would be accepted"))
      #expect(try server.run("limits", "explain", "--user", "ada").status == 64)
      let unset = try server.run("limits", "unset", "--channel", "lobby")
      #expect(unset.output.contains("3 in 2000 ms") && unset.output.contains("5 in 1000 ms"))
      #expect(try server.run("limits", "set", "--flood", "many").status == 64)
    }

    @Test("issues an API token that works until it is revoked")
    func tokens() throws {
      let server = try ServerProcess(CommandTests.quiet)
      #expect(try server.run("token", "list").output == "no API tokens\n")
      let made = try server.run("token", "create", "shop", "--json").json
      let token = try #require(made["token"]?.string)
      let id = try #require(made["id"]?.string)
      #expect(try server.run("channel", "list", "--api-token", token).status == 0)
      let brief = try server.run(
        "token", "create", "night", "--role", "moderator", "--expires-in", "90d")
      #expect(brief.output.contains("moderator") && brief.output.contains("expires"))
      #expect(try server.run("token", "create", "x", "--expires-in", "4000d").status == 1)
      #expect(try server.run("token", "revoke", "night").status == 0)
      let list = try server.run("token", "list").output
      #expect(list.contains(id) && list.contains("shop") && !list.contains(token), "\(list)")
      #expect(try server.run("token", "revoke", id).output == "the API token \(id) is revoked\n")
      #expect(try server.run("channel", "list", "--api-token", token).status == 1)
      #expect(try server.run("token", "revoke", "first").errors.contains("auth.api_token"))
      #expect(try server.run("token", "create", "shop").output.contains("token"))
      #expect(try server.run("token", "revoke", "shop").status == 0)
      #expect(try server.run("token", "list").output == "no API tokens\n")
      #expect(try server.run("token", "revoke", "shop").errors.contains("400201"))
    }

    @Test("lists and closes sessions, and drains the gateway")
    func sessions() throws {
      let server = try ServerProcess(CommandTests.quiet)
      let client = try server.open("ada")
      let list = try server.run("sessions", "list", "--user", "ada", "--json").json
      let id = try #require(list["sessions"]?.elements.first { _ in true }?["session_id"]?.string)
      #expect(try server.run("sessions", "list").output.contains(" 127.0.0.1"))
      #expect(try server.run("status").output.contains("ready"))
      #expect(try server.run("sessions", "close", id).status == 0)
      // This client never answers the close: its session is there until the server gives it up.
      try Deadline.standard.wait(for: "the session to be gone") {
        try server.run("sessions", "close", id).status == 1
      }
      #expect(try server.run("drain", "--yes").output == "the gateway is draining\n")
      #expect(try server.process.waitForEnd() == .exited(0))
      withExtendedLifetime(client) {}
    }

    @Test("shows the only server, and drains it by its name")
    func cluster() throws {
      let server = try ServerProcess(CommandTests.quiet)
      let shown = try server.run("cluster", "--channel", "lobby")
      #expect(shown.status == 0, "\(shown.errors)")
      #expect(shown.output.contains("(home)") && shown.output.contains("none: one server"))
      let status = try server.run("cluster", "status", "--json").json
      let id = try #require(status["server_id"]?.string)
      let unknown = try server.run("cluster", "drain", "nobody", "--yes")
      #expect(unknown.status == 1 && unknown.errors.contains("there is no server"))
      let drained = try server.run("cluster", "drain", id, "--yes")
      #expect(drained.output.contains("is draining"), "\(drained.errors)")
      #expect(try server.process.waitForEnd() == .exited(0))
    }

    @Test("prints its load line by line when the output is not a terminal")
    func top() throws {
      let server = try ServerProcess(CommandTests.quiet)
      let top = try server.run("top", "--interval", "1", "--count", "2")
      #expect(top.status == 0, "\(top.errors)")
      let lines = top.output.split(separator: "\n")
      #expect(lines.count == 3)
      #expect(lines.first?.contains("messages/s") == true)
    }

    @Test("finds the metrics on operations.listen: through the API, the environment, or not at all")
    func topElsewhere() throws {
      let port = try FreePort.choose()
      let server = try ServerProcess(
        CommandTests.quiet + ["--operations-listen", "127.0.0.1:\(port)"])
      let asked = try server.run("top", "--interval", "1", "--count", "1")
      #expect(asked.status == 0, "\(asked.errors)")
      let settings = server.directory.path(of: "settings.yaml")
      try "drain:\n  timeout_ms: 1000\n".write(toFile: settings, atomically: true, encoding: .utf8)
      var environment = server.commandEnvironment
      environment["PARLEY_CLI_API_TOKEN_FILE"] = "/nonexistent/api-token"
      environment["PARLEY_CONFIG"] = settings
      let command = ["top", "--interval", "1", "--count", "1"]
      let unknown = try CommandProcess(command, environment: environment).finish()
      #expect(unknown.status == 1 && unknown.errors.contains("--metrics"), "\(unknown.errors)")
      environment["PARLEY_OPERATIONS_LISTEN"] = "127.0.0.1:\(port)"
      let found = try CommandProcess(command, environment: environment).finish()
      #expect(found.status == 0, "\(found.errors)")
      let stopped = try server.run("top", "--server", "http://127.0.0.1:1")
      #expect(stopped.status == 2 && stopped.errors.contains("does not answer"))
    }

    @Test("exits with 1 when refused, 2 when the gateway does not respond, 64 on a usage error")
    func statuses() throws {
      let server = try ServerProcess(CommandTests.quiet)
      #expect(try server.run("channel", "list", "--api-token", "wrong").status == 1)
      let nowhere = try server.run("channel", "list", "--server", "http://127.0.0.1:1")
      #expect(nowhere.status == 2)
      #expect(nowhere.errors.contains("does not answer"))
      #expect(try server.run("channel", "list", "--server", "nowhere").status == 64)
      #expect(try server.run("channel", "list", "--limit", "0").status == 64)
      #expect(try server.run("channel", "dance").status == 64)
      #expect(try server.run("watch", "lobby").status == 64)
      #expect(try server.run("watch", "lobby", "--user", "ada").status == 1)
    }

    @Test("takes values from profiles")
    func profiles() throws {
      let server = try ServerProcess(CommandTests.quiet)
      let path = server.directory.path(of: "profiles.yaml")
      try """
      test:
        server: http://127.0.0.1:\(server.port)
        api_token_file: \(server.directory.path(of: "data/api-token"))
      """.write(toFile: path, atomically: false, encoding: .utf8)
      let listed = try CommandProcess([
        "channel", "list", "--profile", "test", "--profile-file", path,
      ]).finish()
      #expect(listed.output == "no channels\n", "\(listed.errors)")
      let unknown = try CommandProcess(
        ["channel", "list", "--profile", "other"], environment: ["PARLEY_CLI_PROFILE_FILE": path]
      ).finish()
      #expect(unknown.status == 64)
      #expect(unknown.errors.contains("no profile 'other'"))
    }
  }
}
