import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Message ids")
struct MessageIDsTests {
  private let beginning: Int64 = 1_735_689_600_000

  @Test("an id tells its time")
  func tellsTime() {
    let ids = MessageIDs(after: 0)
    #expect(ids.next(at: beginning + 5) == 5 << 12)
    #expect(ids.next(at: beginning + 5) == 5 << 12 + 1)
    #expect(ids.next(at: beginning + 6) == 6 << 12)
  }

  @Test("ids go on after the highest that was ever given out, though the clock was set back")
  func goesOn() {
    let ids = MessageIDs(after: 1 << 50)
    #expect(ids.next(at: beginning) == 1 << 50 + 1)
    #expect(ids.next(at: 0) == 1 << 50 + 2)
  }

  @Test("ids are exact in JavaScript until 2094")
  func isExactInJavaScript() {
    let last: Int64 = 3_913_056_000_000
    #expect(MessageIDs(after: 0).next(at: last) < 1 << 53)
  }

  @Test("ids increase whatever the clock does", arguments: UInt64(1)...10)
  func increases(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let ids = MessageIDs(after: 0)
    var last: Int64 = 0
    for _ in 0..<2000 {
      let id = ids.next(at: beginning + Int64.random(in: -100...100, using: &generator))
      #expect(id > last)
      last = id
    }
  }

  @Test("threads that ask at the same time get different ids, each in increasing order")
  func isUnique() throws {
    let ids = MessageIDs(after: 0)
    let collected = Mutex<[[Int64]]>([])
    let threads = try (0..<4).map { number in
      try Reactor.Thread(name: "asker-\(number)") {
        let own = (0..<2000).map { _ in ids.next(at: 1_735_689_600_001) }
        collected.withLock { $0.append(own) }
      }
    }
    for thread in threads { thread.join() }
    let all = collected.withLock { $0 }
    for own in all { #expect(own == own.sorted()) }
    #expect(Set(all.joined()).count == 8000)
  }
}
