import DequeModule

/// Remembers which messages were withheld from which participants, so that later updates of them
/// are withheld too.
///
/// One bit for each participant and withheld message. Bounded: of the oldest messages it forgets
/// from whom they were withheld, and their updates then go to everyone.
struct WithheldLedger {
  private static let messageLimit = 4096
  private static let byteLimit = 4_194_304

  private struct Entry {
    let messageID: Int64
    var participants: [UInt64]
  }

  /// In the order of their ids, which only increase.
  private var entries: Deque<Entry> = []
  private var byteCount = 0

  /// Notes from whom a message was withheld.
  ///
  /// - Parameter participants: One bit for each participant's slot.
  mutating func record(_ messageID: Int64, withheldFrom participants: [UInt64]) {
    entries.append(Entry(messageID: messageID, participants: participants))
    byteCount += participants.count * 8
    while entries.count > Self.messageLimit || byteCount > Self.byteLimit, entries.count > 1 {
      let oldest = entries.removeFirst()
      byteCount -= oldest.participants.count * 8
    }
  }

  /// From whom a message was withheld, one bit for each participant's slot; empty when from none.
  func participants(withheld messageID: Int64) -> [UInt64] {
    index(of: messageID).map { entries[$0].participants } ?? []
  }

  /// A message that is gone is not updated any more.
  mutating func forget(_ messageID: Int64) {
    guard let index = index(of: messageID) else { return }
    byteCount -= entries[index].participants.count * 8
    entries.remove(at: index)
  }

  /// Someone else sits in a slot now.
  mutating func clear(slot: Int) {
    let word = slot >> 6
    for index in entries.indices where word < entries[index].participants.count {
      entries[index].participants[word] &= ~(1 << UInt64(slot & 63))
    }
  }

  private func index(of messageID: Int64) -> Int? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].messageID < messageID { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].messageID == messageID ? low : nil
  }
}
