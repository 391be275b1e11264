import TestSupport
import Testing

@testable import Store

@Suite("Tickets of observers", .onEachDatabase, .onOwnThreads)
struct TicketsTests {
  @Test("a ticket is redeemed once, by any holder, until it expires")
  func once() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write {
      try $0.addTicket([1], ofAPIToken: [9], expiresAt: 30, at: 0)
      try $0.addTicket([2], ofAPIToken: [9], expiresAt: 30, at: 0)
    }
    let taken = try await fixture.store.write {
      [
        try $0.takeTicket([7], at: 1), try $0.takeTicket([1], at: 29),
        try $0.takeTicket([1], at: 29), try $0.takeTicket([2], at: 30),
      ]
    }
    #expect(taken == [nil, [9], nil, nil])
  }

  @Test("a token has at most a hundred tickets, not counting expired ones")
  func limit() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write {
      for number in UInt8(0)..<100 {
        try $0.addTicket([number], ofAPIToken: [9], expiresAt: 30, at: 0)
      }
      try $0.addTicket([200], ofAPIToken: [8], expiresAt: 30, at: 0)
    }
    await #expect(throws: StoreError.tooManyItems(limit: 100)) {
      try await fixture.store.write {
        try $0.addTicket([201], ofAPIToken: [9], expiresAt: 59, at: 29)
      }
    }
    try await fixture.store.write {
      try $0.addTicket([201], ofAPIToken: [9], expiresAt: 60, at: 30)
    }
  }
}
