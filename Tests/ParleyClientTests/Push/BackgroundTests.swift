import HTTP
import Synchronization
import TestPeers
import TestSupport
import Testing

@testable import ParleyClient

@Suite("The background", .onOwnThreads)
struct BackgroundTests {
  private static let session =
    #"{"user":\#(Sample.user),"limits":{"message_bytes":262144},"ping_interval_ms":25000}"#

  /// A server that answers everything, and closes the first connection after `cutAfter` calls.
  private static func server(
    _ methods: CallLog, cutAfter: Int? = nil
  ) throws -> ScriptedServer {
    try ScriptedServer { stream, number in
      let peer = try WebSocketPeer(stream)
      try peer.answer(Self.session)
      for count in 1... {
        let method = try peer.answer()
        methods.append("\(number) \(method)")
        if method == "session.close" { return try peer.close(.normalClosure) }
        if number == 0, count == cutAfter { return }
      }
    }
  }

  @Test("is reported at once, and again after a reconnection")
  func reconnection() async throws {
    let methods = CallLog()
    let server = try Self.server(methods, cutAfter: 1)
    defer { server.stop() }
    let client = ParleyClient(configuration: .init(serverURL: server.url))
    try await client.connect(userID: "jeff")
    try await client.setBackground(true)
    try await methods.wait(for: "1 session.background")
    await client.disconnect()
    #expect(methods.all.starts(with: ["0 session.background", "1 session.background"]))
  }

  @Test("is reported with the session when it was chosen before")
  func before() async throws {
    let methods = CallLog()
    let server = try Self.server(methods)
    defer { server.stop() }
    let client = ParleyClient(configuration: .init(serverURL: server.url))
    try await client.setBackground(true)
    try await client.connect(userID: "jeff")
    try await methods.wait(for: "0 session.background")
    await client.disconnect()
  }

  @Test("is not reported by a client in the foreground")
  func foreground() async throws {
    let methods = CallLog()
    let server = try Self.server(methods)
    defer { server.stop() }
    let client = ParleyClient(configuration: .init(serverURL: server.url))
    try await client.setBackground(true)
    try await client.setBackground(false)
    try await client.connect(userID: "jeff")
    await client.disconnect()
    #expect(methods.all == ["0 session.close"])
  }
}

/// The calls that a server has received.
private final class CallLog: Sendable {
  private let methods = Mutex<[String]>([])

  var all: [String] { methods.withLock { $0 } }

  func append(_ method: String) { methods.withLock { $0.append(method) } }

  func wait(for method: String) async throws {
    try await Deadline.standard.wait(for: method) { all.contains(method) }
  }
}
