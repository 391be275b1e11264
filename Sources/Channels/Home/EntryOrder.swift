/// The slots of a channel's participants in the order in which they entered.
///
/// Each entry has an increasing number. A page is found by binary search; entries of participants
/// who left remain as gaps until a third of the list is gaps, so that entering and leaving cost
/// O(1) on average, and a page costs little more than its own size.
struct EntryOrder: Sendable {
  private struct Entry {
    let number: Int64
    /// `nil` once the participant has left.
    var slot: Int?
  }

  private var entries: [Entry] = []
  private var gapCount = 0
  private var lastNumber: Int64 = 0

  /// The number of participants in the list.
  var count: Int { entries.count - gapCount }

  /// The number of entries, including gaps.
  var length: Int { entries.count }

  /// Appends a participant.
  ///
  /// - Returns: The number of the entry, larger than all earlier ones.
  mutating func append(_ slot: Int) -> Int64 {
    lastNumber += 1
    entries.append(Entry(number: lastNumber, slot: slot))
    return lastNumber
  }

  /// Removes the participant of an entry.
  mutating func remove(_ number: Int64) {
    let index = firstIndex(after: number - 1)
    guard index < entries.count, entries[index].number == number, entries[index].slot != nil else {
      return
    }
    entries[index].slot = nil
    gapCount += 1
    guard gapCount >= 32, gapCount * 3 >= entries.count else { return }
    entries.removeAll { $0.slot == nil }
    gapCount = 0
  }

  /// The slots of up to `limit` participants whose entries have larger numbers, earliest first.
  func slots(after number: Int64, limit: Int) -> [Int] {
    var slots: [Int] = []
    var index = firstIndex(after: number)
    while index < entries.count, slots.count < limit {
      if let slot = entries[index].slot { slots.append(slot) }
      index += 1
    }
    return slots
  }

  private func firstIndex(after number: Int64) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number <= number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
