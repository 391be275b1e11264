import Testing

@testable import Channels

@Suite("Addresses of sessions")
struct SessionAddressTests {
  @Test("an address takes 16 bytes, for many are kept")
  func size() {
    #expect(MemoryLayout<SessionAddress>.size == 16)
  }

  @Test("server, shard and connection each tell sessions apart")
  func identity() {
    let session = SessionAddress(server: 1, shard: 2, connection: 3)
    #expect(session != SessionAddress(server: 2, shard: 2, connection: 3))
    #expect(session != SessionAddress(server: 1, shard: 1, connection: 3))
    #expect(session != SessionAddress(server: 1, shard: 2, connection: 4))
    #expect(session == SessionAddress(server: 1, shard: 2, connection: 3))
  }
}
