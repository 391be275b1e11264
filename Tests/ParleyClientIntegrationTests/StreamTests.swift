import ClientFoundation
import ParleyClient
import Synchronization
import TestPeers
import TestSupport
import Testing

extension ClientTests {
  @Suite("over event streams")
  struct StreamTests {
    private static let count = 60

    /// A proxy that refuses WebSockets, and counts them.
    private static func refusing(
      _ server: ServerProcess, _ upgrades: Counter,
      _ refusal: CuttingProxy.Treatment = .answers("HTTP/1.1 403 Forbidden\r\n\r\n"),
      reading: CuttingProxy.Treatment = .passes
    ) throws -> CuttingProxy {
      try CuttingProxy(to: server.port) { head in
        if head.lowercased().contains("upgrade: websocket") {
          upgrades.add()
          return refusal
        }
        return head.hasPrefix("GET /v1/streams/") && !head.contains("poll=1") ? reading : .passes
      }
    }

    private static func metric(_ name: String, of server: ServerProcess) throws -> String? {
      let lines = String(decoding: try server.get("/metrics").body, as: UTF8.self)
        .split(separator: "\n")
      return lines.first { $0.hasPrefix(name + " ") }?.split(separator: " ").last
        .map(String.init)
    }

    /// Sends numbers from one client to another, and checks that each arrives once and in order.
    private static func converse(
      from ann: ParleyClient, to kim: ParleyClient, between: (Int) -> Void = { _ in }
    ) async throws {
      let lobby = try await ann.enterNewChannel()
      let seen = try await kim.enterChannel()
      var events = seen.events.makeAsyncIterator()
      for number in 0..<count {
        try await lobby.sendUserMessage("\(number)")
        between(number)
      }
      for number in 0..<count {
        #expect(try await events.first(\.received).message == "\(number)")
      }
      #expect(try await lobby.allMessages().map(\.message) == (0..<count).map { "\($0)" })
    }

    @Test("converses, and closes the session")
    func conversation() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann") { $0.transport = .stream }
      let kim = try await server.client("kim") { $0.transport = .stream }
      try await Self.converse(from: ann, to: kim)
      #expect(try Self.metric("parley_streams", of: server) == "2")
      await ann.disconnect()
      await kim.disconnect()
      try await Deadline.standard.wait(for: "the end of the sessions") {
        try Self.metric("parley_sessions", of: server) == "0"
      }
    }

    @Test("converses with requests of URLSession")
    func foundation() async throws {
      let server = try ServerProcess(unlimited)
      var clients: [ParleyClient] = []
      for name in ["ann", "kim"] {
        var configuration = ParleyClientConfiguration(serverURL: server.url)
        configuration.transport = .stream
        configuration.requestTimeout = .seconds(120)
        let client = ParleyClient(configuration: configuration, on: FoundationLane())
        try await client.connect(userID: name)
        clients.append(client)
      }
      try await Self.converse(from: clients[0], to: clients[1])
      for client in clients { await client.disconnect() }
      try await Deadline.standard.wait(for: "the end of the sessions") {
        try Self.metric("parley_sessions", of: server) == "0"
      }
    }

    @Test("continues without a loss, and without another session, when responses are cut")
    func cuts() async throws {
      let server = try ServerProcess(unlimited)
      let proxy = try CuttingProxy(to: server.port)
      defer { proxy.stop() }
      let ann = try await server.client("ann")
      let kim = try await connectedClient(to: proxy.url, "kim") { $0.transport = .stream }
      var events = kim.events.makeAsyncIterator()
      try await Self.converse(from: ann, to: kim) { if $0 % 12 == 5 { proxy.cutNow() } }
      await kim.disconnect()
      while let event = await events.next(), event.connection != .disconnected(because: .requested)
      {
        #expect(event.connection?.reconnection == nil)
      }
    }

    @Test("sends each message once, whatever is cut")
    func lostAnswers() async throws {
      let server = try ServerProcess(unlimited)
      let proxy = try CuttingProxy(to: server.port)
      defer { proxy.stop() }
      let ann = try await connectedClient(to: proxy.url, "ann") { $0.transport = .stream }
      let kim = try await server.client("kim")
      try await Self.converse(from: ann, to: kim) { number in
        if number % 20 == 3 { proxy.cut(after: 37 * number, .toServer) }
        if number % 20 == 13 { proxy.cut(after: 23 * number, .toClient) }
      }
    }

    @Test("opens another session at the next server, and receives what it missed")
    func restart() async throws {
      let first = try ServerProcess(unlimited)
      let proxy = try CuttingProxy(to: first.port)
      defer { proxy.stop() }
      let kim = try await connectedClient(to: proxy.url, "kim") { $0.transport = .stream }
      let seen = try await kim.enterNewChannel()
      var events = seen.events.makeAsyncIterator()
      try first.kill()
      let second = try ServerProcess(unlimited, in: first.directory)
      let ann = try await second.client("ann")
      let lobby = try await ann.enterChannel()
      try await lobby.sendUserMessage("missed")
      proxy.lead(to: second.port)
      proxy.cutNow()
      #expect(try await events.first(\.received).message == "missed")
      try await lobby.sendUserMessage("and on")
      #expect(try await events.first(\.received).message == "and on")
    }

    @Test("opens another session after an orderly stop of the server")
    func drain() async throws {
      let first = try ServerProcess(unlimited)
      let proxy = try CuttingProxy(to: first.port)
      defer { proxy.stop() }
      let kim = try await connectedClient(to: proxy.url, "kim") { $0.transport = .stream }
      let lobby = try await kim.enterNewChannel()
      var events = kim.events.makeAsyncIterator()
      try first.stop()
      let second = try ServerProcess(unlimited, in: first.directory)
      proxy.lead(to: second.port)
      let reason = try await events.first { event -> DisconnectionReason? in
        if case .reconnecting(_, _, let reason) = event.connection { reason } else { nil }
      }
      #expect(reason == .serverDraining)
      _ = try await events.first(\.reconnected)
      #expect(try await lobby.sendUserMessage("on").message == "on")
    }

    @Test(
      "take the place of WebSockets that are refused, cut or not answered",
      arguments: [
        CuttingProxy.Treatment.answers("HTTP/1.1 403 Forbidden\r\n\r\n"),
        .answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno"), .answers(""), .swallows,
      ])
    func blocked(refusal: CuttingProxy.Treatment) async throws {
      let server = try ServerProcess(unlimited)
      let upgrades = Counter()
      let proxy = try Self.refusing(server, upgrades, refusal)
      defer { proxy.stop() }
      let ann = try await connectedClient(to: proxy.url, "ann")
      let counted = upgrades.value
      #expect(counted == (refusal.isAnswer ? 2 : 1))
      // The process remembers it.
      let kim = try await connectedClient(to: proxy.url, "kim")
      #expect(upgrades.value == counted)
      try await Self.converse(from: ann, to: kim)
      #expect(try Self.metric("parley_streams", of: server) == "2")
    }

    @Test("are polled behind a proxy that holds responses back")
    func withheld() async throws {
      let server = try ServerProcess(unlimited)
      let proxy = try Self.refusing(server, Counter(), reading: .withholds)
      defer { proxy.stop() }
      let ann = try await server.client("ann")
      let kim = try await connectedClient(to: proxy.url, "kim")
      try await Self.converse(from: ann, to: kim)
    }

    @Test("do not replace WebSockets where they work, or where the server has no streams")
    func unneeded() async throws {
      let server = try ServerProcess(unlimited + ["--streams-mode", "off"])
      _ = try await server.client("ann")
      let upgrades = Counter()
      let proxy = try Self.refusing(server, upgrades)
      defer { proxy.stop() }
      await #expect(throws: ParleyError.unauthorized("the server answered 403 Forbidden")) {
        _ = try await connectedClient(to: proxy.url, "kim")
      }
      #expect(upgrades.value == 2)
      await #expect(throws: ParleyError.self) {
        _ = try await server.client("kim") { $0.transport = .stream }
      }
    }
  }
}

/// A number that any thread may count up.
private final class Counter: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }

  func add() { count.withLock { $0 += 1 } }
}

extension CuttingProxy.Treatment {
  fileprivate var isAnswer: Bool {
    if case .answers = self { true } else { false }
  }
}

extension ConnectionEvent {
  fileprivate var reconnection: ConnectionEvent? {
    if case .reconnecting = self { self } else { nil }
  }
}
