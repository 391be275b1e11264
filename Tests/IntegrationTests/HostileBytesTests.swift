import Foundation
import ParleyProtocol
import TestSupport
import Testing
import TestPeers

extension ServerTests {
  @Suite("that receives hostile bytes")
  struct HostileBytesTests {
    /// How much memory may have grown by, after what would have taken many times as much.
    private static let growth = 48 << 20

    @Test("closes with the matching code, and continues to serve in bounded memory")
    func faults() throws {
      let server = try ServerProcess(
        unlimitedSending + [
          "--limits-head-timeout-ms", "\(Duration.seconds(2).patientMilliseconds)",
        ])
      try Self.expectService(of: server, "first")
      try Self.provoke(server, seed: 0)
      let before = try server.residentBytes
      let descriptors = try server.descriptorCount
      for seed in 1...8 as ClosedRange<UInt64> { try Self.provoke(server, seed: seed) }
      #expect(try server.residentBytes - before < Self.growth)
      try Deadline.standard.wait(for: "all connections to be given back") {
        try server.descriptorCount <= descriptors
      }
      try Self.expectService(of: server, "second")
      #expect(server.process.isRunning)
    }

    @Test("closes connections that send too little, each after its timeout")
    func silence() throws {
      // Long enough to open a session on any machine, and over before the first ping.
      let time = Duration.seconds(2).patientMilliseconds
      let server = try ServerProcess([
        "--limits-head-timeout-ms", "\(time)", "--limits-open-timeout-ms", "\(time)",
        "--limits-ping-interval-ms", "\(2 * time)", "--limits-pong-timeout-ms", "300",
      ])
      let descriptors = try server.descriptorCount
      let crowd = try (0..<200).map { _ in try StreamSocket(port: server.port) }
      let mute = try StreamSocket(port: server.port)
      let halting = try StreamSocket(port: server.port)
      try halting.write(Array("GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgr".utf8), .standard)
      let unopened = try server.connect()
      let silent = try server.open("silent")
      silent.connection.fallSilent()
      for socket in crowd + [mute] { #expect(try socket.readToEnd().isEmpty) }
      #expect(try HTTPAnswer(reading: halting).status == 408)
      #expect(try halting.readToEnd().isEmpty)
      #expect(try unopened.waitForClose() == 4001)
      #expect(try silent.waitForClose() == 4005)
      try Deadline.standard.wait(for: "all connections to be given back") {
        try server.descriptorCount <= descriptors
      }
      try Self.expectService(of: server, "mia")
    }

    @Test("answers invalid requests, and closes with 1008 after ten in a row")
    func malformedRequests() throws {
      let server = try ServerProcess()
      let client = try server.open("jeff")
      for text in malformedTexts { try client.connection.send(Array(text.utf8)) }
      #expect(try client.waitForClose() == 1008)
      try Self.expectService(of: server, "mia")
    }

    /// Ten, from JSON bombs to requests that lack something.
    private let malformedTexts = [
      String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 20_000),
      "[" + String(repeating: "1,", count: 90_000) + "1]", "", "null", "{}", #"{"jsonrpc":"2.0"}"#,
      #"{"jsonrpc":"2.0","id":{},"method":"session.ping"}"#, "[]", "\u{FEFF}{}",
    ]

    private static func provoke(_ server: ServerProcess, seed: UInt64) throws {
      var random = SeededGenerator(seed: seed)
      try sendGarbage(to: server, &random)
      try sendEndlessHead(to: server)
      for (fault, code) in faults {
        let client = try server.open("hostile-\(seed)")
        try? fault(client.connection)
        #expect(try client.waitForClose() == code)
      }
    }

    private static func sendGarbage(
      to server: ServerProcess, _ random: inout SeededGenerator
    ) throws {
      for _ in 0..<8 {
        let socket = try StreamSocket(port: server.port)
        try? socket.write(random.bytes(Int.random(in: 1...4_000, using: &random)), .standard)
        try? socket.write(Array("\r\n\r\n".utf8), .standard)
        let answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"))
      }
    }

    private static func sendEndlessHead(to server: ServerProcess) throws {
      let socket = try StreamSocket(port: server.port)
      try socket.write(Array("GET / HTTP/1.1\r\nHost: localhost\r\nX: ".utf8), .standard)
      let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 65_536)
      // The server answers and reads no more, so at some time there is no way to go on.
      for _ in 0..<64 { guard (try? socket.write(letters, .in(seconds: 1))) != nil else { break } }
      let answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 431"))
    }

    private static let faults: [(@Sendable (WebSocketClient) throws -> Void, UInt16)] = [
      // A message of more than 262,144 bytes; one that declares 2^62.
      ({ try $0.send([UInt8](repeating: UInt8(ascii: " "), count: 300_000)) }, 1009),
      (
        {
          try $0.stream.write([0x81, 0xFF, 0x40] + [UInt8](repeating: 0, count: 11), .standard)
        }, 1009
      ),
      // Bytes that are never UTF-8; a binary message; a frame without mask; a reserved opcode.
      ({ try $0.send([0xC3, 0x28, 0xFF]) }, 1007),
      ({ try $0.send(binary: [1, 2, 3]) }, 1003),
      ({ try $0.stream.write([0x81, 0x01, 0x61], .standard) }, 1002),
      ({ try $0.stream.write([0x83, 0x80, 0, 0, 0, 0], .standard) }, 1002),
      // A reserved bit, and a continuation of nothing.
      ({ try $0.stream.write([0xC1, 0x80, 0, 0, 0, 0], .standard) }, 1002),
      ({ try $0.stream.write([0x80, 0x80, 0, 0, 0, 0], .standard) }, 1002),
    ]

    /// Two clients who talk to each other.
    private static func expectService(of server: ServerProcess, _ name: String) throws {
      let jeff = try server.open("jeff-\(name)")
      let mia = try server.open("mia-\(name)")
      try jeff.create("room-\(name)")
      for client in [jeff, mia] { try client.enter("room-\(name)") }
      let sent = try jeff.send("hello", to: "room-\(name)")
      #expect(try mia.event("message.received").messageID == sent.id)
    }
  }
}
