import TestSupport
import Testing

@testable import Channels

@Suite("Withheld ledger")
struct WithheldLedgerTests {
  @Test("it records from whom each message was withheld", arguments: UInt64(1)...20)
  func agreesWithADictionary(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var ledger = WithheldLedger()
    var expected: [Int64: Set<Int>] = [:]
    for _ in 0..<600 {
      let message = Int64.random(in: 1...80, using: &generator)
      let slot = Int.random(in: 0..<200, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<6:
        let other = Int.random(in: 0..<200, using: &generator)
        ledger.record(message, withheldFrom: SlotSet([slot, other]))
        expected[message, default: []].formUnion([slot, other])
      case 6..<8:
        ledger.forget(message)
        expected[message] = nil
      default:
        ledger.clear(slot: slot)
        for key in expected.keys { expected[key]?.remove(slot) }
      }
    }
    for message in Int64(0)...81 {
      #expect(ledger.slots(withheld: message).members == (expected[message] ?? []).sorted())
    }
  }

  @Test("beyond its capacity it forgets the oldest messages")
  func forgetsTheOldest() {
    var ledger = WithheldLedger()
    for message in Int64(1)...5000 { ledger.record(message, withheldFrom: SlotSet([3])) }
    #expect(ledger.slots(withheld: 904).isEmpty)
    #expect(ledger.slots(withheld: 905).contains(3))
    #expect(ledger.slots(withheld: 5000).contains(3))
  }

  @Test("it forgets the oldest messages when many participants use much memory")
  func boundsMemory() {
    var ledger = WithheldLedger()
    // 25 kB each: 167 of them are 4 MiB.
    for message in Int64(1)...1000 { ledger.record(message, withheldFrom: SlotSet([200_000])) }
    #expect(ledger.slots(withheld: 800).isEmpty)
    #expect(ledger.slots(withheld: 850).contains(200_000))
  }

  @Test("messages later withheld from more participants count with their new size")
  func boundsMergedMemory() {
    var ledger = WithheldLedger()
    for message in Int64(1)...1000 { ledger.record(message, withheldFrom: SlotSet([0])) }
    for message in Int64(1)...1000 { ledger.record(message, withheldFrom: SlotSet([200_000])) }
    let kept = (Int64(1)...1000).count { !ledger.slots(withheld: $0).isEmpty }
    #expect(kept < 170)
    #expect(ledger.slots(withheld: 1000).members == [0, 200_000] || kept > 0)
  }
}

extension SlotSet {
  init(_ slots: [Int]) {
    self.init()
    for slot in slots { insert(slot) }
  }

  var members: [Int] {
    var members: [Int] = []
    forEach { members.append($0) }
    return members
  }
}
