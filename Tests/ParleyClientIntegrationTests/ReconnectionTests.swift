import Glibc
import ParleyClient
import TestPeers
import Testing

extension ClientTests {
  @Suite("reconnects")
  struct ReconnectionTests {
    @Test(
      "when its server is killed under load: no message is duplicated, lost or reordered")
    func killed() async throws {
      let first = try ServerProcess(unlimited)
      let proxy = try CuttingProxy(to: first.port)
      defer { proxy.stop() }
      let ann = try await connectedClient(to: proxy.url, "ann")
      let lobby = try await ann.enterNewChannel()
      let kim = try await connectedClient(to: proxy.url, "kim")
      let seen = try await kim.enterChannel()
      let told = seen.events
      // What a viewer misses is recovered as long as it is not more than 300 events.
      let count = 300
      let sending = Task {
        // All are on their way at once; the client keeps their order.
        try await Self.send(count, to: lobby)
      }
      var events = told.makeAsyncIterator()
      var received: [any BaseMessage] = []
      while received.count < 20 { received.append(try await events.first(\.received)) }
      try first.kill()
      let second = try ServerProcess(unlimited, in: first.directory)
      proxy.lead(to: second.port)
      let sent = try await sending.value
      #expect(sent.map(\.message) == (0..<count).map { "\($0)" })
      let stored = try await lobby.allMessages()
      #expect(stored.map(\.message) == sent.map(\.message))
      #expect(stored.map(\.messageID) == sent.map(\.messageID))
      while received.last?.message != "\(count - 1)" {
        received.append(try await events.first(\.received))
      }
      #expect(received.map(\.messageID) == stored.map(\.messageID))
    }

    @Test(
      "after a connection that broke at any byte of a request or of its response",
      arguments: CuttingProxy.Direction.allCases)
    func cuts(direction: CuttingProxy.Direction) async throws {
      let server = try ServerProcess(unlimited)
      let length = try await Self.lengthOfOneSend(server, direction)
      #expect(length > 100)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for place in 0...length {
          if place >= 16 { try await group.next() }
          group.addTask { try await Self.sendOnce(server, cutAfter: place, of: length, direction) }
        }
        try await group.waitForAll()
      }
    }

    @Test("after an orderly stop of the server, once the requested delay has passed")
    func drain() async throws {
      let first = try ServerProcess(unlimited)
      let proxy = try CuttingProxy(to: first.port)
      defer { proxy.stop() }
      let ann = try await connectedClient(to: proxy.url, "ann")
      let lobby = try await ann.enterNewChannel()
      let sent = try await lobby.sendUserMessage("before")
      var events = ann.events.makeAsyncIterator()
      var ofChannel = lobby.events.makeAsyncIterator()
      first.process.send(signal: SIGTERM)
      try await events.first { event in
        if case .serverDraining = event.connection { () } else { nil }
      }
      let reason = try await events.first { event in
        if case .reconnecting(1, _, let reason) = event.connection { reason } else { nil }
      }
      #expect(reason == .serverDraining)
      #expect(try first.process.waitForEnd() == .exited(0))
      let second = try ServerProcess(unlimited, in: first.directory)
      proxy.lead(to: second.port)
      _ = try await events.first(\.reconnected)
      #expect(ann.connectionState == .connected)
      let count = try await ofChannel.first { event in
        if case .recovered(let count) = event { count } else { nil }
      }
      #expect(count == 0)
      #expect(try await lobby.getMessage(messageID: sent.messageID).message == "before")
    }

    @Test("and receives the missed events, or a notice that they are unavailable")
    func recovery() async throws {
      let server = try ServerProcess(unlimited)
      let proxy = try CuttingProxy(to: server.port)
      defer { proxy.stop() }
      let kim = try await connectedClient(to: proxy.url, "kim")
      let seen = try await kim.enterNewChannel()
      var events = seen.events.makeAsyncIterator()
      let ann = try await server.client("ann")
      let lobby = try await ann.enterChannel()

      try await Self.cutOff(kim, proxy, from: server) {
        for number in 0..<10 { try await lobby.sendUserMessage("\(number)") }
      }
      for number in 0..<10 {
        #expect(try await events.first(\.received).message == "\(number)")
      }
      let recovered = try await events.first { event in
        if case .recovered(let count) = event { count } else { nil }
      }
      #expect(recovered == 10)

      try await Self.cutOff(kim, proxy, from: server) {
        for number in 0...300 { try await lobby.sendUserMessage("much \(number)") }
      }
      let loss = try await events.first { event in
        if case .eventsLost(let loss) = event { loss } else { nil }
      }
      #expect(loss == .gap)
      #expect(seen.isEntered)
      try await lobby.sendUserMessage("the end")
      #expect(try await events.first(\.received).message == "the end")
    }

    /// Sends numbers without waiting for one before the next.
    private static func send(_ count: Int, to channel: OpenChannel) async throws -> [UserMessage] {
      let (outcomes, outcome) = AsyncStream.makeStream(of: Result<UserMessage, ParleyError>.self)
      for number in 0..<count {
        channel.sendUserMessage(params: UserMessageCreateParams(message: "\(number)")) {
          outcome.yield($0)
        }
      }
      var sent: [UserMessage] = []
      for await result in outcomes {
        sent.append(try result.get())
        if sent.count == count { break }
      }
      return sent
    }

    /// How many bytes one message costs in a direction.
    private static func lengthOfOneSend(
      _ server: ServerProcess, _ direction: CuttingProxy.Direction
    ) async throws -> Int {
      let proxy = try CuttingProxy(to: server.port)
      defer { proxy.stop() }
      let (client, channel) = try await client(of: proxy, number: 9999)
      let before = proxy.count(direction)
      try await channel.sendUserMessage("once")
      let length = proxy.count(direction) - before
      await client.disconnect()
      return length
    }

    private static func sendOnce(
      _ server: ServerProcess, cutAfter place: Int, of length: Int,
      _ direction: CuttingProxy.Direction
    ) async throws {
      let proxy = try CuttingProxy(to: server.port)
      defer { proxy.stop() }
      let (client, channel) = try await client(of: proxy, number: 1000 + place)
      var events = client.events.makeAsyncIterator()
      proxy.cut(after: place, direction)
      let sent = try await channel.sendUserMessage("once")
      if place < length {
        try await events.first { event in
          if case .reconnecting = event.connection { () } else { nil }
        }
      }
      let stored = try await channel.allMessages()
      #expect(stored.map(\.message) == ["once"], "cut after \(place) bytes")
      #expect(stored.map(\.messageID) == [sent.messageID], "cut after \(place) bytes")
      await client.disconnect()
    }

    /// A client whose names are as long as those of all others, without compression.
    private static func client(
      of proxy: CuttingProxy, number: Int
    ) async throws -> (ParleyClient, OpenChannel) {
      let client = try await connectedClient(to: proxy.url, "user-\(number)") {
        $0.compression = .off
      }
      return (client, try await client.enterNewChannel("channel-\(number)"))
    }

    /// Does something while a client can't reach its server.
    private static func cutOff(
      _ client: ParleyClient, _ proxy: CuttingProxy, from server: ServerProcess,
      _ body: () async throws -> Void
    ) async throws {
      var events = client.events.makeAsyncIterator()
      // Nobody listens on the discard port of loopback.
      proxy.lead(to: 9)
      proxy.cutNow()
      try await events.first { event in
        if case .reconnecting = event.connection { () } else { nil }
      }
      try await body()
      proxy.lead(to: server.port)
      _ = try await events.first(\.reconnected)
    }
  }
}
