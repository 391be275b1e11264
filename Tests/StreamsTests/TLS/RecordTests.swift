import TestSupport
import Streams
import Testing

@Suite("Application data", .onOwnThreads)
struct RecordTests {
  private static let versions: [TLSVersion] = [.tls12, .tls13]

  private func makeConversation(_ version: TLSVersion = .tls13) throws -> Conversation {
    let workspace = try Workspace()
    let conversation = try Conversation(
      client: workspace.makeClientContext(maximumVersion: version),
      server: workspace.makeServerContext())
    try conversation.begin()
    return conversation
  }

  private func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  @Test("large transfers arrive complete in both directions", arguments: versions, [1000, 65_537])
  func large(version: TLSVersion, chunk: Int) throws {
    let conversation = try makeConversation(version)
    conversation.chunk = chunk
    let bytes = pattern(3_000_000)
    try conversation.sendFromClient(bytes)
    try conversation.sendFromServer(bytes)
    try conversation.deliver()
    #expect(conversation.receivedByServer == bytes)
    #expect(conversation.receivedByClient == bytes)
  }

  @Test(
    "messages around the record size arrive complete", arguments: [0, 1, 16_383, 16_384, 16_385])
  func boundaries(count: Int) throws {
    let conversation = try makeConversation()
    let bytes = pattern(count)
    try conversation.sendFromServer(bytes)
    try conversation.deliver()
    #expect(conversation.receivedByClient == bytes)
  }

  @Test("a record split anywhere is decrypted when its last byte arrives")
  func cuts() throws {
    let conversation = try makeConversation()
    for cut in 1...60 {
      conversation.chunk = cut
      try conversation.sendFromClient(pattern(40))
      try conversation.deliver()
      #expect(conversation.receivedByServer.count == 40 * cut)
    }
  }

  @Test("sending before the handshake is an error that does not end the session")
  func early() throws {
    let workspace = try Workspace()
    let conversation = try Conversation(
      client: workspace.makeClientContext(), server: workspace.makeServerContext())
    #expect(throws: TLSError.notEstablished) { try conversation.sendFromServer([1]) }
    try conversation.begin()
    try conversation.sendFromServer([1])
  }

  @Test("close_notify ends one direction and is not a truncation", arguments: versions)
  func orderlyClose(version: TLSVersion) throws {
    let conversation = try makeConversation(version)
    try conversation.sendFromClient([1, 2, 3])
    try conversation.closeFromClient()
    try conversation.deliver()
    #expect(conversation.receivedByServer == [1, 2, 3])
    #expect(conversation.serverProgress == .closedByPeer)
    try conversation.server.receiveEnd()
    #expect(throws: TLSError.notEstablished) { try conversation.sendFromClient([4]) }
    try conversation.sendFromServer([5])
    try conversation.closeFromServer()
    try conversation.deliver()
    #expect(conversation.receivedByClient == [5])
    #expect(conversation.clientProgress == .closedByPeer)
  }

  @Test("bytes after close_notify are ignored")
  func afterClose() throws {
    let conversation = try makeConversation()
    try conversation.closeFromClient()
    conversation.tamperToServer { $0 += [1, 2, 3] }
    try conversation.deliver()
    #expect(conversation.serverProgress == .closedByPeer)
    #expect(conversation.receivedByServer.isEmpty)
  }

  @Test("closing twice sends close_notify once, and closing early sends nothing")
  func closeTwice() throws {
    let conversation = try makeConversation()
    try conversation.server.close(scratch: conversation.scratch)
    #expect(!conversation.scratch.take().isEmpty)
    try conversation.server.close(scratch: conversation.scratch)
    #expect(conversation.scratch.take().isEmpty)
    let fresh = try TLSSession(server: Workspace().makeServerContext())
    try fresh.close(scratch: conversation.scratch)
    #expect(conversation.scratch.take().isEmpty)
  }

  @Test("an end without close_notify is a truncation")
  func truncation() throws {
    let conversation = try makeConversation()
    #expect(throws: TLSError.truncated) { try conversation.server.receiveEnd() }
    #expect(throws: TLSError.truncated) { try conversation.sendFromServer([1]) }
    #expect(!conversation.server.isEstablished)
  }

  @Test("a modified record ends the session with an alert, and the error stays")
  func tampered() throws {
    let conversation = try makeConversation()
    try conversation.sendFromClient([1, 2, 3])
    conversation.tamperToServer { $0[$0.count - 1] ^= 1 }
    let error = try #require(
      #expect(throws: TLSError.self) { try conversation.deliverToServer() })
    guard case .protocolViolation = error else {
      Issue.record("unexpected: \(error)")
      return
    }
    #expect(throws: TLSError.alertReceived("bad record mac")) { try conversation.deliverToClient() }
    #expect(throws: error) { try conversation.sendFromServer([1]) }
  }
}
