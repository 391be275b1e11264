import Testing

@testable import Channels

@Suite("Addresses of sessions")
struct SessionAddressTests {
  @Test("an address takes 16 bytes, because many are kept in memory")
  func size() {
    #expect(MemoryLayout<SessionAddress>.size == 16)
  }

  @Test("sessions differ in their server, shard or connection")
  func identity() {
    let session = SessionAddress(server: 1, shard: 2, connection: 3)
    #expect(session != SessionAddress(server: 2, shard: 2, connection: 3))
    #expect(session != SessionAddress(server: 1, shard: 1, connection: 3))
    #expect(session != SessionAddress(server: 1, shard: 2, connection: 4))
    #expect(session == SessionAddress(server: 1, shard: 2, connection: 3))
  }
}
