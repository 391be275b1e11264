import HTTP1
import ParleyProtocol
import Testing
import Transport

@testable import Gateway

@Suite("A line of the audit log")
struct AuditRecordTests {
  private func call(
    _ method: String, _ path: String, body: String = "", arguments: [(String, String)] = []
  ) -> AuditCall {
    AuditCall(
      time: 1_700_000_000_123, token: APITokenName(id: "4f2a", name: "shop"), client: "10.0.0.7",
      method: method, path: path,
      arguments: arguments.map { (name: $0.0, value: $0.1) }, body: Array(body.utf8))
  }

  private func line(_ record: AuditRecord) throws -> JSONNode {
    let bytes = record.line
    #expect(bytes.last == 0x0a && bytes.count { $0 == 0x0a } == 1)
    return try JSONDocument(bytes).root
  }

  @Test("names who did what to whom, and no texts")
  func ban() throws {
    let record = AuditRecord(
      call: call(
        "POST", "/v3/open_channels/lobby/ban",
        body: #"{"user_id":"jeff","seconds":60,"description":"private reason"}"#,
        arguments: [("channel_url", "lobby")]),
      outcome: .success(Array(#"{"user":{"user_id":"jeff"},"description":"private reason"}"#.utf8)))
    let line = try line(record)
    #expect(line["time"]?.string == "2023-11-14T22:13:20.123Z")
    #expect(line["token"]?["id"]?.string == "4f2a" && line["token"]?["name"]?.string == "shop")
    #expect(line["address"]?.string == "10.0.0.7")
    #expect(line["object"]?["channel_url"]?.string == "lobby")
    #expect(line["object"]?["user_id"]?.string == "jeff")
    #expect(line["status"]?.integer == 200 && line["code"] == nil)
    #expect(!String(decoding: record.line, as: UTF8.self).contains("private"))
  }

  @Test("names what a call has made, without its secret")
  func made() throws {
    let record = AuditRecord(
      call: call("POST", "/v3/parley/api_tokens", body: #"{"name":"shop"}"#),
      outcome: .success(Array(#"{"id":"99","name":"shop","token":"secret-token"}"#.utf8)))
    #expect(try line(record)["object"]?["id"]?.string == "99")
    #expect(!String(decoding: record.line, as: UTF8.self).contains("secret-token"))
  }

  @Test("has the code of a refusal")
  func refusal() throws {
    let record = AuditRecord(
      call: call("DELETE", "/v3/users/jeff", arguments: [("user_id", "jeff")]),
      outcome: .failure(ServiceError(.notFound, "there is no such user")))
    let line = try line(record)
    #expect(line["status"]?.integer == 400 && line["code"]?.integer == 400_201)
  }

  @Test("stays one harmless line whatever is in a name or body")
  func hostile() throws {
    let record = AuditRecord(
      call: call(
        "PUT", "/v3/users/x", body: "{\"user_ids\":[\"a\\n\u{202e}b\", 5, \"c\"",
        arguments: [("user_id", "a\n\u{9b}31m\u{202e}\"")]),
      outcome: .success([]))
    #expect(try line(record)["object"]?["user_id"]?.string == "a\n\u{9b}31m\u{202e}\"")
    let text = String(decoding: record.line.dropLast(), as: UTF8.self)
    #expect(!text.unicodeScalars.contains { $0.value == 0x202e || $0.value == 0x9b })
    let listed = AuditRecord(
      call: call("POST", "/v3/x", body: #"{"user_ids":["a",5,"b"]}"#), outcome: .success([]))
    #expect(try line(listed)["object"]?["user_ids"]?.elements.map(\.string) == ["a", "b"])
  }

  @Test("is written for calls that change something, for messages only on demand")
  func routes() {
    let sending = ["/v3", "/v3/parley/forms"].map { $0 + "/open_channels/{channel_url}/messages" }
    for route in PlatformRoutes.all {
      let (path, method) = (route.pattern.description, route.methods.first)
      let withMessages = AuditCall.isRecorded(route, includesMessages: true)
      #expect(withMessages == (method != "GET"), "\(path)")
      let isSending = method == "POST" && sending.contains(path)
      #expect(
        AuditCall.isRecorded(route, includesMessages: false) == (withMessages && !isSending),
        "\(path)")
    }
  }
}
