import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Message IDs")
struct MessageIDsTests {
  private let beginning: Int64 = 1_735_689_600_000

  @Test("an ID contains its time")
  func tellsTime() {
    let ids = MessageIDs(after: 0)
    #expect(ids.next(at: beginning + 5) == 5 << 12)
    #expect(ids.next(at: beginning + 5) == 5 << 12 + 1)
    #expect(ids.next(at: beginning + 6) == 6 << 12)
  }

  @Test("IDs continue after the highest ever assigned, even if the clock was set back")
  func goesOn() {
    let ids = MessageIDs(after: 1 << 50)
    #expect(ids.next(at: beginning) == 1 << 50 + 1)
    #expect(ids.next(at: 0) == 1 << 50 + 2)
  }

  @Test("IDs are exact in JavaScript until 2094")
  func isExactInJavaScript() {
    let last: Int64 = 3_913_056_000_000
    #expect(MessageIDs(after: 0).next(at: last) < 1 << 53)
  }

  @Test("IDs increase whatever the clock does", arguments: UInt64(1)...10)
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

  @Test("concurrent threads get different IDs, each in increasing order")
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

  @Test("servers of one deployment assign different IDs, each in increasing order")
  func slots() {
    let servers = (0..<16).map {
      MessageIDs(after: 1 << 40 + 5, slot: ServerSlot(number: Int64($0), bits: 4))
    }
    var all: Set<Int64> = []
    for server in servers {
      var last: Int64 = 1 << 40 + 5
      for _ in 0..<600 {
        let id = server.next(at: beginning + 7)
        #expect(id > last)
        last = id
        all.insert(id)
      }
    }
    #expect(all.count == 16 * 600)
  }

  @Test("an ID contains its slot", arguments: [0, 3, 255])
  func tellsSlot(number: Int64) {
    let ids = MessageIDs(after: 0, slot: ServerSlot(number: number, bits: 8))
    #expect(ids.next(at: beginning + 5) == 5 << 12 + number)
    #expect(ids.next(at: beginning + 5) == 5 << 12 + 256 + number)
  }

  @Test("one server keeps up with the clock at a million IDs a second")
  func keepsUp() {
    let ids = MessageIDs(after: 0)
    for millisecond in Int64(1)...1000 {
      for _ in 0..<1000 { _ = ids.next(at: beginning + millisecond) }
    }
    #expect(ids.next(at: beginning + 1001) == 1001 << 12)
  }

  @Test("the clock catches up with IDs that ran ahead")
  func drifts() {
    let ids = MessageIDs(after: 0, slot: ServerSlot(number: 1, bits: 8))
    // 60 in each of 100 milliseconds, of 16 that there are: 275 milliseconds ahead.
    var last: Int64 = 0
    for millisecond in Int64(0)..<100 {
      for _ in 0..<60 { last = ids.next(at: beginning + millisecond) }
    }
    #expect((last >> 12) == 374)
    #expect(ids.next(at: beginning + 374) > last)
    #expect(ids.next(at: beginning + 380) == 380 << 12 + 1)
  }

  @Test("the first ID is higher than all in the store, whichever server created them")
  func beginsAfterOthers() {
    for (last, number) in [(1000, 0), (1003, 2), (1003, 3), (1003, 4), (0, 0)] as [(Int64, Int64)] {
      let ids = MessageIDs(after: last, slot: ServerSlot(number: number, bits: 4))
      let id = ids.next(at: 0)
      #expect(id > last && id <= last + 16 && id & 15 == number)
    }
  }
}
