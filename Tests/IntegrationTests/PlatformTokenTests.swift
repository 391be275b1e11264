import Foundation
import ParleyProtocol
import TestPeers
import TestSupport
import Testing

extension ServerTests {
  @Suite("lets operators issue API tokens")
  struct PlatformTokenTests {
    private let path = "parley/api_tokens"

    private func status(_ server: ServerProcess, _ token: String) throws -> UInt16 {
      try server.platform("/v3/parley/status", token: token).status
    }

    @Test("a token is valid until it is revoked, over restarts")
    func life() throws {
      let server = try ServerProcess(["--reactors", "3"])
      let made = try server.call("POST", path, #"{"name":"shop"}"#)
      let token = try #require(made["token"]?.string)
      let id = try #require(made["id"]?.string)
      #expect(made["last_used_at"]?.integer == 0)
      #expect(try status(server, token) == 200)
      let listed = try server.call("GET", path)["api_tokens"]?.elements.map { $0 } ?? []
      #expect(listed.map { $0["name"]?.string } == ["shop"])
      #expect(listed.first?["id"]?.string == id)
      #expect(listed.first?["token"] == nil)
      try server.stop()

      let next = try ServerProcess(["--reactors", "3"], in: server.directory)
      #expect(try status(next, token) == 200)
      try next.call("DELETE", "\(path)/\(id)")
      // Each connection may come to another reactor.
      for _ in 0..<12 { #expect(try status(next, token) == 401) }
      #expect(try next.refusal("DELETE", "\(path)/\(id)") == 400_201)
      #expect(try status(next, next.apiToken) == 200)
    }

    @Test("the last use of a token is shown")
    func lastUse() throws {
      let server = try ServerProcess()
      let token = try server.call("POST", path, #"{"name":"shop"}"#)["token"]?.string ?? ""
      #expect(try status(server, token) == 200)
      try Deadline.standard.wait(for: "the use to be noted") {
        let tokens = try server.call("GET", path)["api_tokens"]?.elements.map { $0 } ?? []
        return tokens.first?["last_used_at"]?.integer ?? 0 > 1_600_000_000_000
      }
    }

    @Test("names are unique, at most one hundred, and the first token cannot be revoked by a call")
    func refusals() throws {
      let server = try ServerProcess()
      #expect(try server.refusal("POST", path, "{}") == 400_105)
      #expect(try server.refusal("POST", path, #"{"name":1}"#) == 400_100)
      let long = String(repeating: "n", count: 129)
      #expect(try server.refusal("POST", path, #"{"name":"\#(long)"}"#) == 400_110)
      try server.call("POST", path, #"{"name":"0"}"#)
      #expect(try server.refusal("POST", path, #"{"name":"0"}"#) == 400_202)
      #expect(try server.refusal("DELETE", "\(path)/first") == 400_108)
      #expect(try server.refusal("DELETE", "\(path)/0123456789abcdef") == 400_201)
      for number in 1..<100 { try server.call("POST", path, #"{"name":"\#(number)"}"#) }
      #expect(try server.refusal("POST", path, #"{"name":"more"}"#) == 400_203)
    }

    @Test("each token has its own rate, and calls beyond it are refused with the time to retry")
    func rates() throws {
      let server = try ServerProcess([
        "--limits-platform-calls-per-second", "1", "--limits-platform-calls-burst", "2",
      ])
      let token = try server.call("POST", path, #"{"name":"shop"}"#)["token"]?.string ?? ""
      var limited = try server.platform("/v3/parley/status")
      while limited.status == 200 { limited = try server.platform("/v3/parley/status") }
      #expect(limited.status == 429)
      #expect(limited.body["code"]?.integer == 500_910)
      #expect((1...1000).contains(limited.body["retry_after_ms"]?.integer ?? 0))
      #expect(limited.body["limit"]?.integer == 1)
      #expect(limited.body["window_ms"]?.integer == 1000)
      #expect(limited.body["scope"]?.string == "api_token")
      #expect(try status(server, token) == 200)
    }
  }
}
