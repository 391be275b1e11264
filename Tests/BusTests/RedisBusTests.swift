import Bus
import Dispatch
import Reactor
import Synchronization
import TestPeers
import TestSupport
import Testing

@Suite("A bus over Redis", .serialized, .onOwnThreads)
struct RedisBusTests {
  private let everyone: Inbox
  private let first: Inbox
  private let second: Inbox

  init() throws {
    everyone = try #require(Inbox("parley:everyone"))
    first = try #require(Inbox("parley:1"))
    second = try #require(Inbox("parley:2"))
  }

  /// Starts a bus that listens to everyone's inbox and to one of its own.
  private func bus(_ inbox: Inbox, _ urls: String...) throws -> BusHost {
    let addresses = try urls.map { try RedisAddress($0) }
    let inboxes = [inbox, everyone]
    return try BusHost { loop, handler throws(SystemError) in
      try RedisBus(addresses, listeningTo: inboxes, on: loop, handler: handler)
    }
  }

  private func url(_ server: RedisServer) -> String { "redis://127.0.0.1:\(server.port)" }

  /// Runs a body with a server and two buses over it that are up.
  private func withPair(
    settings: [String] = [], _ body: (RedisServer, BusHost, BusHost) throws -> Void
  ) throws {
    let server = try RedisServer(settings: settings)
    defer { try? server.remove() }
    let (one, two) = (try bus(first, url(server)), try bus(second, url(server)))
    defer {
      one.stop()
      two.stop()
    }
    try one.waitUntilUp()
    try two.waitUntilUp()
    try body(server, one, two)
  }

  @Test("messages reach both directions, the sender's own inbox, and all inboxes")
  func directions() throws {
    try withPair { _, one, two in
      one.send("to two", to: second)
      two.send("to one", to: first)
      one.send([0, 255, 13, 10, 0], to: first)
      try one.waitForMessages(2)
      try two.waitForMessages(1)
      #expect(Set(one.messages) == [Array("to one".utf8), [0, 255, 13, 10, 0]])
      #expect(two.texts == ["to two"])
      one.send("to all", to: everyone)
      try one.waitForMessages(3)
      try two.waitForMessages(2)
      #expect(one.texts.last == "to all" && two.texts.last == "to all")
      #expect(one.states == [.up] && two.states == [.up])
    }
  }

  @Test("100,000 messages arrive in order, each exactly once")
  func order() throws {
    try withPair { _, one, two in
      let (count, inbox) = (100_000, second)
      one.perform { bus in
        for number in 0..<count { bus.send(Array(String(number).utf8), to: inbox) }
      }
      try two.waitForMessages(count)
      #expect(two.texts == (0..<count).map(String.init))
      #expect(two.states == [.up])
    }
  }

  @Test("messages of one megabyte, and of the maximum length, arrive unchanged")
  func large() throws {
    try withPair { _, one, two in
      let sizes = [1_000_000, 0, 1, 1_000_000, 8_388_608]
      for (index, size) in sizes.enumerated() {
        one.send([UInt8](repeating: UInt8(index), count: size), to: second)
      }
      one.send([UInt8](repeating: 9, count: 8_388_609), to: second)
      one.send("end", to: second)
      try two.waitForMessages(sizes.count + 1)
      for (index, size) in sizes.enumerated() {
        #expect(two.messages[index] == [UInt8](repeating: UInt8(index), count: size))
      }
      #expect(two.texts.last == "end")
    }
  }

  @Test("a subscription that the server ends is renewed and reported")
  func killedSubscription() throws {
    try withPair { server, one, two in
      try server.command("CLIENT", "KILL", "TYPE", "pubsub")
      try one.waitUntilBack()
      try two.waitUntilBack()
      try one.sendUntilReceived("after", to: second, by: two)
      try two.sendUntilReceived("after", to: first, by: one)
    }
  }

  @Test("the bus recovers after the server is killed and restarted")
  func restart() throws {
    try withPair { server, one, two in
      try server.kill()
      try one.waitForReason("refused")
      one.send("lost", to: second)
      try server.start()
      try one.waitUntilBack()
      try two.waitUntilBack()
      try one.sendUntilReceived("after", to: second, by: two)
      #expect(!two.texts.contains("lost"))
    }
  }

  // The watch over the server, which has a clock of the test's own, is tested for its two seconds.
  @Test("a server that hangs while its connections stay open is detected")
  func halfOpen() throws {
    try withPair { server, one, two in
      server.pause()
      try one.waitForReason("does not answer")
      try two.waitForReason("does not answer")
      server.resume()
      try one.waitUntilBack()
      try two.waitUntilBack()
      try one.sendUntilReceived("after", to: second, by: two)
    }
  }

  @Test("a server that accepts messages but delivers none counts as down")
  func paused() throws {
    try withPair { server, one, _ in
      try server.command("CLIENT", "PAUSE", "3000", "WRITE")
      try one.waitForReason("does not answer")
      try server.command("CLIENT", "UNPAUSE")
      try one.waitUntilBack()
    }
  }

  @Test("a server that has become a replica counts as down until it is a master again")
  func replica() throws {
    try withPair { server, one, two in
      let master = try RedisServer()
      defer { try? master.remove() }
      try server.command("REPLICAOF", "127.0.0.1", "\(master.port)")
      try one.waitForReason("replica")
      try two.waitForReason("replica")
      try server.command("REPLICAOF", "NO", "ONE")
      try one.waitUntilBack()
      try two.waitUntilBack()
      try two.sendUntilReceived("after", to: first, by: one)
    }
  }

  @Test("a receiver disconnected for reading too slowly is reported, and reconnects")
  func slowReceiver() throws {
    let limits = ["--client-output-buffer-limit", "pubsub", "1mb", "0", "0"]
    try withPair(settings: limits) { _, one, two in
      let gate = DispatchSemaphore(value: 0)
      two.perform { _ in gate.wait() }
      let inbox = second
      one.perform { bus in
        for _ in 0..<40 { bus.send([UInt8](repeating: 1, count: 1_000_000), to: inbox) }
      }
      one.send("sent", to: first)
      try one.waitForMessages(1)
      gate.signal()
      try two.waitForReason("ended the connection")
      try two.waitUntilBack()
      try one.sendUntilReceived("after", to: second, by: two)
      #expect(one.states == [.up])
    }
  }

  @Test("at most 64 MiB are queued for an unreachable server")
  func bounded() throws {
    try withPair { server, one, _ in
      server.pause()
      let inbox = second
      one.perform { bus in
        for _ in 0..<80 { bus.send([UInt8](repeating: 1, count: 1_000_000), to: inbox) }
      }
      try one.waitForReason("more than 64 MiB")
      server.resume()
      try one.waitUntilBack()
    }
  }

  @Test("passwords are sent to the server but never shown")
  func passwords() throws {
    let server = try RedisServer(
      password: "s3cret/word",
      settings: ["--user", "parley", "on", ">p@ss:word", "&parley:*", "+@all", "-role"])
    defer { try? server.remove() }
    let host = "127.0.0.1:\(server.port)"
    for right in ["redis://:s3cret%2Fword@\(host)", "redis://parley:p%40ss:word@\(host)/0"] {
      let bus = try bus(first, right)
      defer { bus.stop() }
      try bus.waitUntilUp()
    }
    for (wrong, reason) in [
      ("redis://:s3cret@\(host)", "refuses the user name or the password"),
      ("redis://parley:s3cret@\(host)", "refuses the user name or the password"),
      ("redis://\(host)", "demands a password"),
    ] {
      let bus = try bus(first, wrong)
      defer { bus.stop() }
      try bus.waitForReason(reason)
      #expect(bus.states.count == 1)
      #expect(bus.reasons.allSatisfy { !$0.contains("s3cret") && $0.contains(host) })
    }
    try server.command("ACL", "SETUSER", "parley", "resetchannels", "&other:*")
    let bus = try bus(first, "redis://parley:p%40ss:word@\(host)")
    defer { bus.stop() }
    try bus.waitForReason("no permission")
  }

  @Test("TLS certificates are verified")
  func encrypted() throws {
    let folder = try TemporaryDirectory()
    let files = RedisServer.Certificate(
      certificate: folder.path + "/certificate.pem", key: folder.path + "/key.pem")
    try SelfSignedCertificate.write(certificate: files.certificate, key: files.key)
    let server = try RedisServer(password: "word", certificate: files)
    defer { try? server.remove() }
    let address = "rediss://:word@localhost:\(server.port)/"
    let stranger = try bus(first, address)
    defer { stranger.stop() }
    try stranger.waitForReason("certificate was rejected")
    let bus = try bus(first, address + "?sslrootcert=\(files.certificate)")
    defer { bus.stop() }
    try bus.waitUntilUp()
    let large = [UInt8](repeating: 7, count: 1_000_000)
    bus.send(large, to: first)
    bus.send("end", to: first)
    try bus.waitForMessages(2)
    #expect(bus.messages == [large, Array("end".utf8)])
    let missing = try self.bus(first, address + "?sslrootcert=/nowhere.pem")
    defer { missing.stop() }
    try missing.waitForReason("/nowhere.pem")
  }

  @Test("host names are resolved again for each attempt")
  func names() throws {
    let server = try RedisServer()
    defer { try? server.remove() }
    let count = Mutex(0)
    let resolver = NameResolver { name, port in
      let attempt = count.withLock { count in
        count += 1
        return count
      }
      // The first address is one on which nothing listens.
      let hosts = attempt == 1 ? [] : attempt < 4 ? ["127.0.0.9"] : ["127.0.0.9", "127.0.0.1"]
      let addresses = hosts.compactMap { SocketAddress(host: $0, port: port) }
      return addresses.isEmpty ? .failure(.init("no \(name)")) : .success(addresses)
    }
    let (address, inbox) = (try RedisAddress("redis://redis.test:\(server.port)"), first)
    let bus = try BusHost { loop, handler throws(SystemError) in
      try RedisBus([address], listeningTo: [inbox], on: loop, resolver: resolver, handler: handler)
    }
    defer { bus.stop() }
    try bus.waitForReason("no redis.test")
    try bus.waitForReason("refused")
    try bus.waitUntilUp()
  }
}

@Suite("A bus over several Redis servers", .serialized, .onOwnThreads)
struct SeveralRedisServersTests {
  private func bus(_ inbox: Inbox, _ servers: [RedisServer]) throws -> BusHost {
    let addresses = try servers.map { try RedisAddress("redis://127.0.0.1:\($0.port)") }
    return try BusHost { loop, handler throws(SystemError) in
      try RedisBus(addresses, listeningTo: [inbox], on: loop, handler: handler)
    }
  }

  @Test("when one server is killed, messages go through the other, and the loss is reported")
  func failover() throws {
    let servers = [try RedisServer(), try RedisServer()]
    defer { for server in servers { try? server.remove() } }
    let inboxes = try (0..<8).map { try #require(Inbox("parley:\($0)")) }
    let hosts = try inboxes.map { try bus($0, servers) }
    defer { for host in hosts { host.stop() } }
    for host in hosts { try host.waitUntilUp() }
    for (inbox, host) in zip(inboxes, hosts) {
      try hosts[0].sendUntilReceived("before", to: inbox, by: host)
    }
    for server in servers {
      try server.kill()
      for host in hosts { try host.waitForReason("127.0.0.1:\(server.port)") }
      for (inbox, host) in zip(inboxes, hosts) {
        try hosts[0].sendUntilReceived("without \(server.port)", to: inbox, by: host)
        try host.waitUntilUp()
      }
      try server.start()
      for (inbox, host) in zip(inboxes, hosts) {
        try host.sendUntilReceived("again", to: inbox, by: host)
        try host.waitUntilUp()
      }
    }
  }

  @Test("a receiver connected to only one server is reached through that one")
  func partialListener() throws {
    let servers = [try RedisServer(), try RedisServer()]
    defer { for server in servers { try? server.remove() } }
    let sender = try bus(try #require(Inbox("parley:sender")), servers)
    defer { sender.stop() }
    try sender.waitUntilUp()
    for (index, server) in servers.enumerated() {
      let inbox = try #require(Inbox("parley:receiver-\(index)"))
      let receiver = try bus(inbox, [server])
      defer { receiver.stop() }
      try receiver.waitUntilUp()
      try sender.sendUntilReceived("found", to: inbox, by: receiver)
    }
  }
}
