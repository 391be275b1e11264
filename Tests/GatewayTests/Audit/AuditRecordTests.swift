import Channels
import FloodControl
import HTTP
import ParleyProtocol
import Testing
import Transport

@testable import Gateway

@Suite("An audit log line")
struct AuditRecordTests {
  /// - Parameter pattern: The path of the route, if it has parameters.
  private func call(
    _ method: String, _ path: String, of pattern: String? = nil, body: String = "",
    arguments: [(String, String)] = [], query: [String: String] = [:]
  ) throws -> AuditCall {
    AuditCall(
      time: 1_700_000_000_123, token: APITokenName(id: "4f2a", name: "shop"), client: "10.0.0.7",
      trace: CallTrace(
        requestID: "edge-17",
        traceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
      method: method, path: path, action: try #require(AuditedAction(ofPath: pattern ?? path)),
      arguments: arguments.map { (name: $0.0, value: $0.1) }, query: query,
      body: Array(body.utf8))
  }

  private func line(_ record: AuditRecord) throws -> JSONNode {
    let bytes = record.line
    #expect(bytes.last == 0x0a && bytes.count { $0 == 0x0a } == 1)
    return try JSONDocument(bytes).root
  }

  @Test("contains who did what to which object, without message texts")
  func ban() throws {
    let record = AuditRecord(
      call: try call(
        "POST", "/v3/open_channels/lobby/ban", of: "/v3/open_channels/{channel_url}/ban",
        body: #"{"user_id":"jeff","seconds":60,"description":"private reason"}"#,
        arguments: [("channel_url", "lobby")]),
      former: nil,
      outcome: .success(
        Array(
          #"{"user":{"user_id":"jeff"},"start_at":1,"end_at":60001,"description":"private reason"}"#
            .utf8)))
    let line = try line(record)
    #expect(line["time"]?.string == "2023-11-14T22:13:20.123Z")
    #expect(line["token"]?["id"]?.string == "4f2a" && line["token"]?["name"]?.string == "shop")
    #expect(line["address"]?.string == "10.0.0.7")
    #expect(line["request_id"]?.string == "edge-17")
    #expect(line["trace_id"]?.string == "4bf92f3577b34da6a3ce929d0e0e4736")
    #expect(line["object"]?["channel_url"]?.string == "lobby")
    #expect(line["object"]?["user_id"]?.string == "jeff")
    #expect(line["status"]?.integer == 200 && line["code"] == nil)
    #expect(text(line["after"]) == #"{"start_at":1,"end_at":60001,"seconds":60}"#)
    #expect(line["before"] == nil && text(line["fields"]) == #"["description"]"#)
    #expect(!String(decoding: record.line, as: UTF8.self).contains("private"))
  }

  @Test("names what a call has created, without its secret")
  func made() throws {
    let record = AuditRecord(
      call: try call("POST", "/v3/parley/api_tokens", body: #"{"name":"shop"}"#), former: nil,
      outcome: .success(
        Array(#"{"id":"99","name":"shop","role":"viewer","token":"secret-token"}"#.utf8)))
    #expect(try line(record)["object"]?["id"]?.string == "99")
    #expect(try text(line(record)["after"]) == #"{"name":"shop","role":"viewer"}"#)
    #expect(!String(decoding: record.line, as: UTF8.self).contains("secret-token"))
  }

  @Test("contains the error code of a refused call")
  func refusal() throws {
    let record = AuditRecord(
      call: try call(
        "DELETE", "/v3/users/jeff", of: "/v3/users/{user_id}", arguments: [("user_id", "jeff")]),
      former: nil, outcome: .failure(ServiceError(.notFound, "there is no such user")))
    let line = try line(record)
    #expect(line["status"]?.integer == 400 && line["code"]?.integer == 400_201)
  }

  @Test("stays a single safe line whatever a name or body contains")
  func hostile() throws {
    let record = AuditRecord(
      call: try call(
        "PUT", "/v3/users/x", of: "/v3/users/{user_id}",
        body: "{\"user_ids\":[\"a\\n\u{202e}b\", 5, \"c\"",
        arguments: [("user_id", "a\n\u{9b}31m\u{202e}\"")]),
      former: nil, outcome: .success([]))
    #expect(try line(record)["object"]?["user_id"]?.string == "a\n\u{9b}31m\u{202e}\"")
    let text = String(decoding: record.line.dropLast(), as: UTF8.self)
    #expect(!text.unicodeScalars.contains { $0.value == 0x202e || $0.value == 0x9b })
    let listed = AuditRecord(
      call: try call("POST", "/v3/users", body: #"{"user_ids":["a",5,"b"]}"#), former: nil,
      outcome: .success([]))
    #expect(try line(listed)["object"]?["user_ids"]?.elements.map(\.string) == ["a", "b"])
  }

  private func text(_ node: JSONNode?) -> String? {
    node.map { String(decoding: $0.raw, as: UTF8.self) }
  }

  private func limits(_ flood: (Int, Int), _ throttle: (Int, Int)) -> [UInt8] {
    Array(
      (#"{"flood":{"messages":\#(flood.0),"window_ms":\#(flood.1)},"#
        + #""throttle":{"messages":\#(throttle.0),"window_ms":\#(throttle.1)}}"#).utf8)
  }

  @Test("contains the limits that were set, and the previous ones")
  func limitsSet() throws {
    let path = "/v3/parley/limits/channels/{channel_url}"
    func record(_ method: String, _ body: String, _ outcome: CallOutcome) throws -> JSONNode {
      let call = try call(
        method, "/v3/parley/limits/channels/lobby", of: path, body: body,
        arguments: [("channel_url", "lobby")])
      #expect(call.object == .channelLimits(url: "lobby"))
      let former = AuditedValues(
        flood: RateLimit(count: 10, windowMilliseconds: 1_000),
        throttle: RateLimit(count: 50, windowMilliseconds: 1_000))
      return try line(AuditRecord(call: call, former: former, outcome: outcome))
    }
    let set = try record(
      "PUT", #"{"flood":{"messages":3}}"#, .success(limits((3, 1_000), (50, 1_000))))
    #expect(text(set["before"]) == #"{"flood":{"messages":10,"window_ms":1000}}"#)
    #expect(text(set["after"]) == #"{"flood":{"messages":3,"window_ms":1000}}"#)
    #expect(set["fields"] == nil)
    let same = try record(
      "PUT", #"{"flood":{"messages":10}}"#, .success(limits((10, 1_000), (50, 1_000))))
    #expect(text(same["before"]) == text(same["after"]))
    let removed = try record("DELETE", "", .success(limits((10, 1_000), (5, 1_000))))
    #expect(text(removed["before"]) == #"{"throttle":{"messages":50,"window_ms":1000}}"#)
    #expect(text(removed["after"]) == #"{"throttle":{"messages":5,"window_ms":1000}}"#)
    let refused = try record(
      "PUT", #"{"flood":{"messages":3}}"#, .failure(ServiceError(.notFound, "gone")))
    #expect(text(refused["requested"]) == #"{"flood":{"messages":3}}"#)
    #expect(refused["before"] == nil && refused["after"] == nil)
  }

  @Test("contains the new values of a channel change, and no texts")
  func channel() throws {
    let former = AuditedValues(
      Channel(
        url: "lobby", name: "Lobby", data: "private", customType: "hall", isFrozen: false,
        operators: [User(id: "jeff")], createdAt: 0))
    let call = try call(
      "PUT", "/v3/open_channels/lobby", of: "/v3/open_channels/{channel_url}",
      body: #"{"name":"Hall","data":"private","operator_ids":["ada"]}"#,
      arguments: [("channel_url", "lobby")])
    let answer = """
      {"channel_url":"lobby","name":"Hall","custom_type":"hall","data":"private","freeze":false,
       "is_ephemeral":false,"operators":[{"user_id":"ada","nickname":"private"}],
       "message_survival_seconds":-1}
      """
    let record = AuditRecord(call: call, former: former, outcome: .success(Array(answer.utf8)))
    let line = try line(record)
    #expect(text(line["before"]) == #"{"name":"Lobby","operator_ids":["jeff"]}"#)
    #expect(text(line["after"]) == #"{"name":"Hall","operator_ids":["ada"]}"#)
    #expect(text(line["object"]) == #"{"channel_url":"lobby"}"#)
    #expect(text(line["fields"]) == #"["data"]"#)
    #expect(!String(decoding: record.line, as: UTF8.self).contains("private"))
  }

  @Test("contains the operators in the query, and the previous ones")
  func operators() throws {
    let former = AuditedValues(
      Channel(url: "lobby", operators: [User(id: "jeff"), User(id: "ada")], createdAt: 0))
    let call = try call(
      "DELETE", "/v3/open_channels/lobby/operators",
      of: "/v3/open_channels/{channel_url}/operators",
      arguments: [("channel_url", "lobby")],
      query: ["operator_ids": "jeff,bob", "secret": "private"])
    let line = try line(AuditRecord(call: call, former: former, outcome: .empty))
    #expect(text(line["object"]) == #"{"channel_url":"lobby","operator_ids":["jeff","bob"]}"#)
    #expect(text(line["before"]) == #"{"operator_ids":["jeff","ada"]}"#)
    #expect(line["after"] == nil)
  }

  @Test("contains the counters before and after, and only the keys of metadata")
  func counters() throws {
    let counting = try call(
      "PUT", "/v3/open_channels/lobby/metacounter",
      of: "/v3/open_channels/{channel_url}/metacounter",
      body: #"{"metacounter":{"likes":2},"mode":"increase"}"#,
      arguments: [("channel_url", "lobby")])
    #expect(counting.object == .counters(url: "lobby", .open, keys: ["likes"]))
    let former = AuditedValues(counters: ["likes": 5, "views": 9], among: ["likes"])
    let line = try line(
      AuditRecord(
        call: counting, former: former, outcome: .success(Array(#"{"likes":7}"#.utf8))))
    #expect(text(line["before"]) == #"{"metacounter":{"likes":5}}"#)
    #expect(text(line["after"]) == #"{"metacounter":{"likes":7},"mode":"increase"}"#)
    let noting = try call(
      "PUT", "/v3/users/jeff/metadata", of: "/v3/users/{user_id}/metadata",
      body: #"{"metadata":{"phone":"private"},"upsert":true}"#, arguments: [("user_id", "jeff")])
    let noted = AuditRecord(
      call: noting, former: nil, outcome: .success(Array(#"{"phone":"private"}"#.utf8)))
    #expect(try text(self.line(noted)["object"]) == #"{"user_id":"jeff","keys":["phone"]}"#)
    #expect(!String(decoding: noted.line, as: UTF8.self).contains("private"))
  }

  @Test("contains a URL without its query")
  func address() throws {
    let purge = try call(
      "DELETE", "/v3/parley/previews", query: ["url": "https://example.com/a?key=private"])
    let record = AuditRecord(
      call: purge, former: nil, outcome: .success(Array(#"{"purged":1}"#.utf8)))
    #expect(try text(line(record)["object"]) == #"{"url":"https://example.com/a"}"#)
    #expect(try text(line(record)["after"]) == #"{"purged":1}"#)
    let named = AuditRecord(
      call: try call(
        "DELETE", "/v3/parley/previews", query: ["url": "https://a:private@b.example/"]),
      former: nil, outcome: .failure(ServiceError(.invalidValue, "no")))
    #expect(!String(decoding: named.line, as: UTF8.self).contains("private"))
  }

  @Test("truncates long values")
  func long() throws {
    let names = (0..<50).map { #""field\#($0)":1"# }.joined(separator: ",")
    let body = #"{"nickname":"\#(String(repeating: "n", count: 5_000))",\#(names)}"#
    let record = AuditRecord(
      call: try call("POST", "/v3/users", body: body), former: nil,
      outcome: .failure(ServiceError(.notFound, "")))
    #expect(try line(record)["requested"]?["nickname"]?.string?.count == 1_000)
    #expect(try line(record)["fields"]?.elements.map(\.string).count == 31)
  }

  @Test("is defined for every call that changes something")
  func actions() {
    for route in PlatformRoutes.all where route.methods != ["GET"] {
      let path = route.pattern.description
      #expect(AuditedAction(ofPath: path) != nil, "\(path)")
    }
    #expect(AuditedAction(ofPath: "/v3/nothing") == nil)
  }

  @Test("is written for calls that change something, for messages only if enabled")
  func routes() {
    let sending = ["/v3", "/v3/parley/forms"].flatMap { path in
      ChannelKind.allCases.map { "\(path)/\($0.rawValue)/{channel_url}/messages" }
    }
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
