import Testing

@testable import Transport

@Suite("Connection table")
struct ConnectionTableTests {
  @Test("an ID identifies its connection, never the next one in its slot")
  func tellsSuccessorsApart() throws {
    let driven = try DrivenTransport()
    let first = try driven.connect().connection
    #expect(driven.transport.connection(first.id) === first)
    first.drop()
    #expect(driven.transport.connection(first.id) == nil)
    let second = try driven.connect().connection
    #expect(second.id.slot == first.id.slot)
    #expect(second.id != first.id)
    #expect(driven.transport.connection(first.id) == nil)
    #expect(driven.transport.connection(second.id) === second)
  }

  @Test("entries of the table stay in place when it grows")
  func grows() throws {
    let driven = try DrivenTransport()
    let peers = try (0..<150).map { _ in try driven.open() }
    let table = driven.transport.connections
    #expect(table.count == 150)
    for peer in peers {
      #expect(table[peer.connection.id] === peer.connection)
      #expect(table.hot[Int(peer.connection.id.slot)].descriptor == peer.connection.descriptor)
      #expect(table.path(of: peer.connection.id) == .direct)
    }
  }

  @Test("connections with queued output are counted until it is written or they are closed")
  func countsQueued() throws {
    let driven = try DrivenTransport()
    let peers = try (0..<3).map { _ in try driven.open() }
    let table = driven.transport.connections
    #expect(table.queuedCount == 0)
    for peer in peers { table.setPath(.queued, of: peer.connection.id) }
    table.setPath(.queued, of: peers[0].connection.id)
    #expect(table.queuedCount == 3)
    table.setPath(.direct, of: peers[0].connection.id)
    peers[1].connection.drop()
    #expect(table.queuedCount == 1)
  }

  @Test("connections may be closed while the table is iterated")
  func closesWhileVisiting() throws {
    let driven = try DrivenTransport()
    let peers = try (0..<10).map { _ in try driven.connect() }
    driven.transport.forEachConnection { $0.drop() }
    #expect(driven.transport.connectionCount == 0)
    for peer in peers { #expect(driven.transport.connection(peer.connection.id) == nil) }
  }
}
