@testable import ParleyClient
import TestSupport
import Testing

@Suite("Messages of a hostile server")
struct HostileMessagesTests {
  private static let values = [
    "null", "true", "-1", "0", "1", "5", "9223372036854775807", "-9223372036854775808", "1e400",
    "1.5", #""""#, #""lobby""#, #""jeff""#, #""e1""#, #""r1""#, "[]", "{}", #"[{"method":1}]"#,
    #"{"channel_url":"lobby","seq":9223372036854775807}"#,
    #"[{"method":"message.received","params":{"channel_url":"lobby","seq":3}}]"#,
    #"{"user_id":"jeff"}"#, #"{"req_id":"r1","user":{"user_id":"jeff"}}"#,
  ]
  private static let names = [
    "jsonrpc", "id", "method", "params", "result", "error", "channel_url", "seq", "epoch",
    "recovered", "events", "message", "user", "code", "data", "retry_after_ms", "field",
    "reconnect_after_ms", "limits", "message_bytes", "ping_interval_ms", "req_id", "ts",
    "expires_at",
  ]
  private static let methods = [
    "message.received", "message.deleted", "channel.deleted", "channel.user_banned",
    "server.draining", "session.expiring", "", "x",
  ]

  /// An object of random members; some are what the protocol knows.
  private static func object(
    _ generator: inout SeededGenerator, depth: Int = 0
  ) -> String {
    var members: [String] = []
    for name in names.shuffled(using: &generator).prefix(Int.random(in: 0...8, using: &generator)) {
      members.append("\"\(name)\":\(value(of: name, &generator, depth))")
    }
    return "{\(members.joined(separator: ","))}"
  }

  private static func value(
    of name: String, _ generator: inout SeededGenerator, _ depth: Int
  ) -> String {
    if name == "method", !generator.oneIn(4) {
      return "\"\(methods.randomElement(using: &generator) ?? "")\""
    }
    if name == "id" { return String(Int.random(in: 0...40, using: &generator)) }
    if depth < 3, generator.oneIn(2) { return object(&generator, depth: depth + 1) }
    return values.randomElement(using: &generator) ?? "null"
  }

  @Test("no message makes a session trap, lose a call or wait forever")
  func random() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      var rig = SessionRig()
      try rig.connect()
      try rig.enter("lobby", seq: 1)
      var calls: [EngineCallID] = []
      for _ in 0..<40 {
        calls.append(try rig.send("lobby", requestID: "r1"))
        calls.append(try rig.call("channel.get", "{}", .safe))
        try rig.receive(Self.object(&generator))
        if generator.oneIn(4) { try rig.advance(by: Int64.random(in: 0...3000, using: &generator)) }
        if generator.oneIn(6) { try rig.handle(.connectionOpened) }
        if generator.oneIn(10) { try rig.lose() }
      }
      try rig.advance(by: 60_000)
      let open = calls.filter { rig.results[$0] == nil }
      #expect(open.isEmpty, "seed \(seed)")
      if let deadline = rig.machine.nextDeadline {
        #expect(deadline <= rig.now + 700_000, "seed \(seed)")
      }
    }
  }

  @Test(
    "times at the integer limits are harmless", arguments: [Int64.min, -1, 0, .max - 1, .max])
  func times(time: Int64) throws {
    for end in [Int64.min, 0, 1, .max] {
      var rig = SessionRig()
      try rig.connect()
      try rig.receive(
        #"{"jsonrpc":"2.0","method":"session.expiring","params":{"ts":\#(time),"expires_at":\#(end)}}"#
      )
      try rig.advance(by: 1000)
    }
  }

  @Test("bytes that are not JSON end the connection, and only that")
  func garbage() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      var rig = SessionRig()
      try rig.connect()
      let count = Int.random(in: 0...50, using: &generator)
      try rig.handle(.textReceived(generator.bytes(count)))
      #expect(rig.closings == [.protocolError], "seed \(seed)")
      try rig.comeBack()
      #expect(rig.takeStates().last == .connected, "seed \(seed)")
    }
  }
}
