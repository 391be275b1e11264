import Basics

/// Finds named character references in ``NamedReferenceTable``.
enum NamedReferences {
  /// Returns the characters of a named reference.
  struct Match: Equatable {
    let text: String
    /// Whether the reference also works without its semicolon.
    let isLegacy: Bool
  }

  /// The longest name in the table, in bytes.
  static let longestName = 31
  /// The longest name that works without its semicolon.
  static let longestLegacyName = 6

  private static let slotCount = 8_192

  /// The start of a name's entry plus one, at the name's hash or in the slots after it.
  ///
  /// 0 marks a free slot. The names are fixed, so a page cannot slow down lookups.
  private static let slots: [UInt16] = {
    let table = NamedReferenceTable.entries
    var slots = [UInt16](repeating: 0, count: slotCount)
    var start = 0
    while start < table.count {
      let end = nameEnd(from: start, in: table)
      var slot = slotIndex(of: table[start..<end])
      while slots[slot] != 0 { slot = (slot + 1) % slotCount }
      slots[slot] = UInt16(start + 1)
      start = entryEnd(from: end, in: table) + 1
    }
    return slots
  }()

  /// Returns the entry for exactly this name, without `&` and `;`.
  static func match(_ name: ArraySlice<UInt8>) -> Match? {
    let table = NamedReferenceTable.entries
    var slot = slotIndex(of: name)
    while slots[slot] != 0 {
      let start = Int(slots[slot]) - 1
      let end = nameEnd(from: start, in: table)
      if end - start == name.count, table[start..<end].elementsEqual(name) {
        return match(at: end, in: table)
      }
      slot = (slot + 1) % slotCount
    }
    return nil
  }

  private static func slotIndex(of name: ArraySlice<UInt8>) -> Int {
    var hash: UInt32 = 0x811c_9dc5
    for byte in name { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    return Int((hash ^ hash >> 15) % UInt32(slotCount))
  }

  private static func nameEnd(from start: Int, in table: [UInt8]) -> Int {
    var end = start
    while end < table.count, table[end].isASCIIAlphanumeric { end += 1 }
    return end
  }

  private static func entryEnd(from start: Int, in table: [UInt8]) -> Int {
    var end = start
    while end < table.count, table[end] != UInt8(ascii: " ") { end += 1 }
    return end
  }

  private static func match(at mark: Int, in table: [UInt8]) -> Match {
    var text = String.UnicodeScalarView()
    var number: UInt32 = 0
    for byte in table[(mark + 1)..<entryEnd(from: mark, in: table)] {
      if let digit = byte.hexDigitValue {
        number = number << 4 | UInt32(digit)
      } else {
        // A plus sign: another scalar follows.
        if let scalar = Unicode.Scalar(number) { text.append(scalar) }
        number = 0
      }
    }
    if let scalar = Unicode.Scalar(number) { text.append(scalar) }
    return Match(text: String(text), isLegacy: table[mark] == UInt8(ascii: ","))
  }
}
