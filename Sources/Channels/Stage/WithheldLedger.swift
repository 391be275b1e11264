import DequeModule

/// Remembers which messages were withheld from which participants, so that later updates of them
/// are withheld too.
///
/// One bit for each participant and withheld message. Bounded: the record of the oldest messages is
/// dropped, and their updates then go to everyone.
struct WithheldLedger: Sendable {
  private static let messageLimit = 4096
  private static let byteLimit = 4_194_304

  private struct Entry {
    let messageID: Int64
    var slots: SlotSet
  }

  /// In the order of their ids, which only increase.
  private var entries: Deque<Entry> = []
  private var byteCount = 0
  /// The slots that any entry may contain.
  private var named = SlotSet()

  /// Records the participants from whom a message was withheld.
  mutating func record(_ messageID: Int64, withheldFrom slots: SlotSet) {
    named.formUnion(slots)
    if let index = index(of: messageID) {
      merge(slots, at: index)
    } else {
      entries.insert(Entry(messageID: messageID, slots: slots), at: position(of: messageID))
      byteCount += slots.byteCount
    }
    while entries.count > Self.messageLimit || byteCount > Self.byteLimit, entries.count > 1 {
      let oldest = entries.removeFirst()
      byteCount -= oldest.slots.byteCount
    }
  }

  /// The participants from whom a message was withheld.
  func slots(withheld messageID: Int64) -> SlotSet {
    index(of: messageID).map { entries[$0].slots } ?? SlotSet()
  }

  /// The messages that were withheld from a participant.
  func messages(withheldFrom slot: Int) -> [Int64] {
    guard named.contains(slot) else { return [] }
    return entries.compactMap { $0.slots.contains(slot) ? $0.messageID : nil }
  }

  /// Removes a deleted message, which is not updated any more.
  mutating func forget(_ messageID: Int64) {
    guard let index = index(of: messageID) else { return }
    byteCount -= entries[index].slots.byteCount
    entries.remove(at: index)
  }

  /// Clears a slot that is now assigned to another user.
  ///
  /// Scans the entries only if a message was withheld from the previous user.
  mutating func clear(slot: Int) {
    guard named.contains(slot) else { return }
    named.remove(slot)
    for index in entries.indices { entries[index].slots.remove(slot) }
  }

  private mutating func merge(_ slots: SlotSet, at index: Int) {
    byteCount -= entries[index].slots.byteCount
    slots.forEach { entries[index].slots.insert($0) }
    byteCount += entries[index].slots.byteCount
  }

  private func index(of messageID: Int64) -> Int? {
    let position = position(of: messageID)
    let isFound = position < entries.count && entries[position].messageID == messageID
    return isFound ? position : nil
  }

  /// The index of a message, or the index at which it would be inserted.
  private func position(of messageID: Int64) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].messageID < messageID { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
