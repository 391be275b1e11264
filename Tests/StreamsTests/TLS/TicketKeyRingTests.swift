import Synchronization
import Testing

@testable import Streams

@Suite("Ticket keys")
struct TicketKeyRingTests {
  private static let hour: Int64 = 3_600_000

  private final class Numbers: Sendable {
    let last = Atomic(0)
  }

  private func ring() -> TicketKeyRing<Int> {
    let numbers = Numbers()
    return TicketKeyRing { numbers.last.add(1, ordering: .relaxed).newValue }
  }

  private func found(_ ring: inout TicketKeyRing<Int>, _ key: Int, at now: Int64) -> String {
    switch ring.opening(at: now, where: { $0 == key }) {
    case .current: "current"
    case .previous: "previous"
    case nil: "gone"
    }
  }

  @Test("a key encrypts tickets for an hour, decrypts them for another, and is dropped")
  func rotates() {
    var ring = ring()
    #expect(ring.issuing(at: 0) == 1)
    #expect(ring.issuing(at: Self.hour - 1) == 1)
    #expect(found(&ring, 1, at: Self.hour - 1) == "current")
    #expect(ring.issuing(at: Self.hour) == 2)
    #expect(found(&ring, 1, at: Self.hour) == "previous")
    #expect(found(&ring, 1, at: 2 * Self.hour - 1) == "previous")
    #expect(found(&ring, 1, at: 2 * Self.hour) == "gone")
    #expect(ring.issuing(at: 2 * Self.hour) == 3)
    #expect(found(&ring, 2, at: 2 * Self.hour) == "previous")
    #expect(found(&ring, 9, at: 2 * Self.hour) == "gone")
  }

  @Test("after a long pause no old key decrypts anything")
  func pauses() {
    var ring = ring()
    #expect(ring.issuing(at: 0) == 1)
    #expect(found(&ring, 1, at: 10 * Self.hour) == "gone")
    #expect(ring.issuing(at: 10 * Self.hour) == 2)
  }

  @Test("without randomness there is no key")
  func fails() {
    var ring = TicketKeyRing<Int> { nil }
    #expect(ring.issuing(at: 0) == nil)
  }
}
