import Foundation
import ParleyProtocol
import TestPeers
import TestSupport
import Testing

extension ServerTests {
  @Suite("logs Platform API calls in the audit log")
  struct PlatformAuditTests {
    private func lines(_ path: String) throws -> [JSONNode] {
      let text = try String(contentsOfFile: path, encoding: .utf8)
      return try text.split(separator: "\n").map { try JSONDocument(String($0)).root }
    }

    @Test("with the token, the object and the outcome, over a restart and a rotation")
    func audit() throws {
      let directory = try TemporaryDirectory()
      let path = directory.path(of: "audit.log")
      let flags = unlimitedSending + ["--audit-log", path, "--reactors", "3"]
      let server = try ServerProcess(flags)
      let token = try server.call("POST", "parley/api_tokens", #"{"name":"shop"}"#)
      let secret = try #require(token["token"]?.string)
      try server.call("POST", "users", #"{"user_id":"jeff","nickname":"J","profile_url":""}"#)
      try server.call("POST", "open_channels", #"{"channel_url":"lobby"}"#)
      let body = #"{"user_id":"jeff","description":"a private reason"}"#
      #expect(
        try server.platform(
          "/v3/open_channels/lobby/ban", method: "POST", json: body, token: secret
        ).status == 200)
      try server.call(
        "POST", "open_channels/lobby/messages",
        #"{"message_type":"ADMM","message":"a private text"}"#)
      #expect(try server.refusal("DELETE", "open_channels/nowhere") == 400_201)
      try server.call("GET", "open_channels")
      try Deadline.standard.wait(for: "five lines") { try lines(path).count == 5 }
      let written = try lines(path)
      let ban = try #require(written.first { $0["path"]?.string?.hasSuffix("/ban") == true })
      #expect(ban["token"]?["id"]?.string == token["id"]?.string)
      #expect(ban["token"]?["name"]?.string == "shop")
      #expect(ban["address"]?.string?.hasPrefix("127.0.0.1:") == true)
      #expect(ban["object"]?["channel_url"]?.string == "lobby")
      #expect(ban["object"]?["user_id"]?.string == "jeff")
      #expect(ban["status"]?.integer == 200)
      let refused = try #require(written.first { $0["method"]?.string == "DELETE" })
      #expect(refused["token"]?["id"]?.string == "first" && refused["token"]?["name"] == nil)
      #expect(refused["status"]?.integer == 400 && refused["code"]?.integer == 400_201)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(!text.contains("private") && !text.contains(secret))

      try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
      server.process.send(signal: SIGHUP)
      try Deadline.standard.wait(for: "a new file") {
        FileManager.default.fileExists(atPath: path)
      }
      try server.call("POST", "parley/drain")
      #expect(try server.process.waitForEnd() == .exited(0))
      #expect(try lines(path).map { $0["path"]?.string } == ["/v3/parley/drain"])
      let asked = server.process.log.lines.first { $0.contains("draining") } ?? ""
      #expect(asked.contains("api_token=first") && asked.contains("client=127.0.0.1:"), "\(asked)")
    }

    @Test("with the values before and after, and without secrets")
    func changes() throws {
      let directory = try TemporaryDirectory()
      let path = directory.path(of: "audit.log")
      let server = try ServerProcess(["--audit-log", path, "--reactors", "3"])
      try server.call("POST", "users", #"{"user_id":"jeff","nickname":"J","profile_url":""}"#)
      try server.call("POST", "open_channels", #"{"channel_url":"lobby","name":"Lobby"}"#)
      let token = try server.call(
        "POST", "parley/api_tokens", #"{"name":"shop","role":"viewer"}"#)
      let id = try #require(token["id"]?.string)
      let secret = try #require(token["token"]?.string)
      let calls: [(method: String, path: String, body: String)] = [
        ("PUT", "parley/limits", #"{"flood":{"messages":7,"window_ms":1000}}"#),
        ("PUT", "parley/limits/custom_types/hall", #"{"flood":{"messages":6}}"#),
        ("PUT", "parley/limits/channels/lobby", #"{"flood":{"messages":5}}"#),
        ("PUT", "parley/limits/channels/lobby", #"{"flood":{"messages":4}}"#),
        ("DELETE", "parley/limits/channels/lobby", ""),
        ("PUT", "open_channels/lobby", #"{"name":"Hall","operator_ids":["jeff"]}"#),
        ("PUT", "open_channels/lobby/freeze", #"{"freeze":true}"#),
        ("DELETE", "open_channels/lobby/operators?operator_ids=jeff", ""),
        ("PUT", "users/jeff", #"{"nickname":"K","issue_access_token":true}"#),
        ("POST", "open_channels/lobby/metacounter", #"{"metacounter":{"likes":5}}"#),
        ("PUT", "open_channels/lobby/metacounter/likes", #"{"value":2,"mode":"increase"}"#),
        ("POST", "open_channels/lobby/mute", #"{"user_id":"jeff","seconds":60}"#),
        ("DELETE", "open_channels/lobby/mute/jeff", ""),
        ("DELETE", "parley/api_tokens/\(id)", ""),
      ]
      for call in calls { try server.call(call.method, call.path, call.body) }
      try server.stop()

      let written = try lines(path)
      func text(_ index: Int, _ member: String) -> String {
        written[index][member].map { String(decoding: $0.raw, as: UTF8.self) } ?? ""
      }
      func flood(_ index: Int, _ member: String) -> Int64? {
        written[index][member]?["flood"]?["messages"]?.integer
      }
      try #require(written.count == 3 + calls.count)
      #expect(text(2, "after") == #"{"name":"shop","role":"viewer","expires_at":0}"#)
      #expect(text(3, "after") == #"{"flood":{"messages":7,"window_ms":1000}}"#)
      #expect(flood(3, "before") != nil && flood(3, "before") != 7)
      #expect((flood(4, "before"), flood(4, "after")) == (7, 6))
      #expect((flood(5, "before"), flood(5, "after")) == (7, 5))
      #expect((flood(6, "before"), flood(6, "after")) == (5, 4))
      #expect((flood(7, "before"), flood(7, "after")) == (4, 7))
      #expect(text(8, "before") == #"{"name":"Lobby","operator_ids":[]}"#)
      #expect(text(8, "after") == #"{"name":"Hall","operator_ids":["jeff"]}"#)
      #expect(text(9, "before") == #"{"freeze":false}"# && text(9, "after") == #"{"freeze":true}"#)
      #expect(text(10, "object") == #"{"channel_url":"lobby","operator_ids":["jeff"]}"#)
      #expect(text(10, "before") == #"{"operator_ids":["jeff"]}"#)
      #expect(text(11, "before") == #"{"nickname":"J"}"#)
      #expect(text(11, "after") == #"{"nickname":"K","issue_access_token":true}"#)
      #expect(text(13, "before") == #"{"metacounter":{"likes":5}}"#)
      #expect(text(13, "after") == #"{"metacounter":{"likes":7},"mode":"increase"}"#)
      #expect(written[14]["after"]?["seconds"]?.integer == 60)
      #expect(written[15]["before"]?["end_at"]?.integer != nil)
      #expect(text(16, "before") == #"{"name":"shop","role":"viewer","expires_at":0}"#)
      #expect(try !String(contentsOfFile: path, encoding: .utf8).contains(secret))
    }

    @Test("with messages if enabled, and continues to serve when the disk is full")
    func messages() throws {
      let directory = try TemporaryDirectory()
      let path = directory.path(of: "audit.log")
      let server = try ServerProcess(["--audit-log", path, "--audit-messages", "true"])
      try server.call("POST", "open_channels", #"{"channel_url":"lobby"}"#)
      let sent = try server.call(
        "POST", "open_channels/lobby/messages", #"{"message_type":"ADMM","message":"hello"}"#)
      let id = try #require(sent["message_id"]?.integer)
      try server.stop()
      #expect(try lines(path).last?["object"]?["message_id"]?.string == "\(id)")

      let full = try ServerProcess(["--audit-log", "/dev/full"])
      for name in ["first", "second"] {
        try full.call("POST", "open_channels", #"{"channel_url":"\#(name)"}"#)
      }
      try Deadline.standard.wait(for: "two lost lines") {
        try full.get("/metrics").text.contains(#"parley_audit_lines_total{outcome="lost"} 2"#)
      }
      try full.stop()
      #expect(full.process.log.lines.count { $0.contains("audit log cannot be written") } == 1)
      let wrong = try Parleyd([
        "--listen", "127.0.0.1:0", "--data-dir", directory.path(of: "data"), "--audit-log",
        "/nonexistent/audit.log",
      ])
      #expect(try wrong.waitForEnd() == .exited(EX_CONFIG))
      #expect(wrong.log.text.contains("audit.log"))
    }
  }
}
