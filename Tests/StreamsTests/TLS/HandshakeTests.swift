import TestSupport
import Streams
import Testing

@Suite("Handshakes", .onOwnThreads)
struct HandshakeTests {
  let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  @Test(
    "client and server agree on the newest version that both support",
    arguments: [TLSVersion.tls12, .tls13])
  func agreement(version: TLSVersion) throws {
    let conversation = try Conversation(
      client: workspace.makeClientContext(maximumVersion: version),
      server: workspace.makeServerContext())
    #expect(!conversation.server.isEstablished)
    #expect(conversation.server.version == nil)
    try conversation.begin()
    #expect(conversation.client.isEstablished && conversation.server.isEstablished)
    #expect(conversation.client.version == version)
    #expect(conversation.server.version == version)
    #expect(conversation.serverProgress == .established)
    #expect(conversation.server.alpn == "http/1.1")
    #expect(!conversation.server.wasResumed)
  }

  @Test(
    "a handshake whose bytes arrive one by one succeeds",
    arguments: [TLSVersion.tls12, .tls13])
  func byteByByte(version: TLSVersion) throws {
    let conversation = try Conversation(
      client: workspace.makeClientContext(maximumVersion: version),
      server: workspace.makeServerContext())
    conversation.chunk = 1
    try conversation.begin()
    try conversation.sendFromClient(Array("ping".utf8))
    try conversation.sendFromServer(Array("pong".utf8))
    try conversation.deliver()
    #expect(conversation.receivedByServer == Array("ping".utf8))
    #expect(conversation.receivedByClient == Array("pong".utf8))
  }

  @Test("interleaved handshakes that share one scratch do not affect each other")
  func interleaved() throws {
    let client = try workspace.makeClientContext()
    let server = try workspace.makeServerContext()
    let scratch = try TLSScratch()
    let pairs = try (0..<8).map { _ in
      (try TLSSession(client: client, hostname: "localhost"), try TLSSession(server: server))
    }
    var plaintext: [UInt8] = []
    var flights = try pairs.map { pair in
      try pair.0.startHandshake(scratch: scratch)
      return scratch.take()
    }
    for (index, pair) in pairs.enumerated() {
      _ = try pair.1.receive(flights[index], plaintext: &plaintext, scratch: scratch)
      flights[index] = scratch.take()
    }
    for (index, pair) in pairs.enumerated().reversed() {
      _ = try pair.0.receive(flights[index], plaintext: &plaintext, scratch: scratch)
      flights[index] = scratch.take()
    }
    for (index, pair) in pairs.enumerated() {
      _ = try pair.1.receive(flights[index], plaintext: &plaintext, scratch: scratch)
      #expect(pair.0.isEstablished && pair.1.isEstablished)
    }
  }

  @Test(
    "a ticket shortens the next handshake, also byte by byte",
    arguments: [TLSVersion.tls12, .tls13])
  func resumption(version: TLSVersion) throws {
    let client = try workspace.makeClientContext(maximumVersion: version)
    let server = try workspace.makeServerContext()
    let first = try Conversation(client: client, server: server)
    try first.begin()
    let ticket = try #require(first.client.resumption)
    let second = try Conversation(client: client, server: server, resuming: ticket)
    second.chunk = 1
    try second.begin()
    #expect(second.client.wasResumed && second.server.wasResumed)
    #expect(second.server.alpn == "http/1.1")
  }

  @Test("a ticket is not used for another host, nor accepted by another context")
  func foreignTicket() throws {
    let client = try workspace.makeClientContext()
    let first = try Conversation(client: client, server: workspace.makeServerContext())
    try first.begin()
    let ticket = try #require(first.client.resumption)
    let elsewhere = try Conversation(
      client: client, server: workspace.makeServerContext(), hostname: "127.0.0.1",
      resuming: ticket)
    try elsewhere.begin()
    #expect(!elsewhere.client.wasResumed)
    let later = try Conversation(
      client: client, server: workspace.makeServerContext(), resuming: ticket)
    try later.begin()
    #expect(!later.client.wasResumed && later.server.isEstablished)
  }

  @Test("a client without ALPN is accepted")
  func withoutALPN() throws {
    let conversation = try Conversation(
      client: workspace.makeClientContext(alpn: []), server: workspace.makeServerContext())
    try conversation.begin()
    #expect(conversation.server.isEstablished)
    #expect(conversation.server.alpn == nil)
  }

  @Test("the server's order of ALPN names decides")
  func serverPreference() throws {
    let conversation = try Conversation(
      client: workspace.makeClientContext(alpn: ["b", "h2", "http/1.1"]),
      server: workspace.makeServerContext(alpn: ["http/1.1", "h2"]))
    try conversation.begin()
    #expect(conversation.client.alpn == "http/1.1")
  }

  @Test("ALPN without a common name is refused with no_application_protocol")
  func foreignALPN() throws {
    let conversation = try Conversation(
      client: workspace.makeClientContext(alpn: ["h2"]), server: workspace.makeServerContext())
    #expect(throws: TLSError.protocolViolation(reason: "no application protocol")) {
      try conversation.begin()
    }
    #expect(throws: TLSError.alertReceived("no application protocol")) {
      try conversation.deliverToClient()
    }
  }
}
