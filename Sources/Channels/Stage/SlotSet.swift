/// A set of participants, one bit for each slot.
struct SlotSet: Sendable {
  private var words: [UInt64] = []

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  /// The number of participants in it.
  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// Its size in memory.
  var byteCount: Int { words.count * 8 }

  func contains(_ slot: Int) -> Bool {
    let word = slot >> 6
    return word < words.count && words[word] & (1 << UInt64(slot & 63)) != 0
  }

  mutating func insert(_ slot: Int) {
    let word = slot >> 6
    if word >= words.count {
      words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
    }
    words[word] |= 1 << UInt64(slot & 63)
  }

  mutating func remove(_ slot: Int) {
    let word = slot >> 6
    if word < words.count { words[word] &= ~(1 << UInt64(slot & 63)) }
  }

  /// Adds the participants of another set.
  mutating func formUnion(_ other: SlotSet) {
    if words.count < other.words.count {
      words.append(contentsOf: repeatElement(0, count: other.words.count - words.count))
    }
    for index in other.words.indices { words[index] |= other.words[index] }
  }

  /// Calls `body` with each slot, lowest first.
  func forEach(_ body: (Int) -> Void) {
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        body(index * 64 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }
}
