import Testing

@testable import ParleyClient

@Suite("A call and its task")
struct CallTicketTests {
  private let id = EngineCallID(number: 7)

  @Test("that is cancelled later gives up the call that has begun")
  func later() {
    let ticket = CallTicket()
    #expect(ticket.begin(id) == .waiting)
    #expect(ticket.cancel() == id)
    #expect(ticket.cancel() == nil)
  }

  @Test("that is cancelled before leaves it to the one who begins")
  func before() {
    let ticket = CallTicket()
    #expect(ticket.cancel() == nil)
    #expect(ticket.begin(id) == .cancelled)
  }

  @Test("have names that differ, and are short enough for the protocol")
  func requestIDs() {
    let (one, other) = (RequestIDs(), RequestIDs())
    let names = (0..<100).flatMap { _ in [one.next(), other.next()] }
    #expect(Set(names).count == 200)
    #expect(names.allSatisfy { $0.count <= 64 })
  }
}
