import Channels
import ParleyProtocol
import Synchronization
import Testing

@testable import Gateway

@Suite("Queueing of downloads")
struct DownloadTurnsTests {
  /// The turns of the downloads that have begun, in their order.
  private final class Begun: Sendable {
    private let turns = Mutex<[(number: Int, turn: DownloadTurn?)]>([])

    var numbers: [Int] { turns.withLock { $0.map(\.number) } }

    func add(_ number: Int, _ turn: DownloadTurn) {
      turns.withLock { $0.append((number, turn)) }
    }

    func end(_ number: Int) {
      let turn = turns.withLock { turns -> DownloadTurn? in
        guard let index = turns.firstIndex(where: { $0.number == number }) else { return nil }
        defer { turns[index].turn = nil }
        return turns[index].turn
      }
      withExtendedLifetime(turn) {}
    }
  }

  private let turns = DownloadTurns()
  private let begun = Begun()

  private func begin(_ number: Int, _ principal: QueryPrincipal) {
    try? turns.begin(for: principal) { [begun] in begun.add(number, $0) }
  }

  @Test("a user has sixteen downloads at once, and later ones start in order as those end")
  func user() {
    for number in 0..<20 { begin(number, .user("ann")) }
    #expect(begun.numbers == Array(0..<16))
    begin(100, .user("bob"))
    #expect(begun.numbers.last == 100)
    begun.end(3)
    begun.end(0)
    #expect(begun.numbers.suffix(2) == [16, 17])
    for number in 4..<16 { begun.end(number) }
    #expect(begun.numbers.suffix(2) == [18, 19] && begun.numbers.count == 21)
    for number in [1, 2, 16, 17, 18, 19] { begun.end(number) }
    for number in 30..<50 { begin(number, .user("ann")) }
    #expect(begun.numbers.suffix(16) == Array(30..<46)[...])
  }

  @Test("downloads are refused when too many of a user wait")
  func full() {
    for number in 0..<(16 + 1_024) { begin(number, .user("ann")) }
    #expect(throws: ServiceError.self) { try turns.begin(for: .user("ann")) { _ in } }
    begin(2_000, .user("bob"))
    begun.end(0)
    #expect(begun.numbers.suffix(2) == [2_000, 16])
    begin(3_000, .user("ann"))
    #expect(begun.numbers.count == 18)
  }

  @Test("downloads from one network without a user have a higher limit, the operator's have none")
  func others() {
    for number in 0..<70 { begin(number, .address(1, 2)) }
    #expect(begun.numbers.count == 64)
    begin(70, .address(1, 3))
    for number in 0..<100 { begin(number, .server) }
    #expect(begun.numbers.count == 165)
  }
}
