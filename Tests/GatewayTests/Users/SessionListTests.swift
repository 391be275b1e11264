import Channels
import Testing

@testable import Gateway

@Suite("Session list")
struct SessionListTests {
  @Test("it behaves like an array, in the same order")
  func isLikeAnArray() {
    let addresses = (0..<4).map { SessionAddress(shard: 0, connection: UInt64($0)) }
    var (list, expected) = (SessionList(), [SessionAddress]())
    for _ in 0..<1_000 {
      let address = addresses.randomElement()!
      if Bool.random() {
        list.remove(address)
        expected.removeAll { $0 == address }
      } else if !expected.contains(address) {
        list.append(address)
        expected.append(address)
      }
      #expect(list.all == expected)
      #expect(list.count == expected.count && list.isEmpty == expected.isEmpty)
      #expect(addresses.map(list.contains) == addresses.map(expected.contains))
    }
  }
}
