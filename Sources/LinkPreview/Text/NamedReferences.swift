/// Finds named character references in ``NamedReferenceTable``.
enum NamedReferences {
  /// What a name stands for.
  struct Match: Equatable {
    let text: String
    /// Whether the reference also works without its semicolon.
    let isLegacy: Bool
  }

  /// The longest name in the table, in bytes.
  static let longestName = 31
  /// The longest name that works without its semicolon.
  static let longestLegacyName = 6

  /// The entry for exactly this name, without `&` and `;`.
  static func match(_ name: ArraySlice<UInt8>) -> Match? {
    let table = NamedReferenceTable.entries
    var low = 0
    var high = table.count
    while low < high {
      let start = entryStart(before: (low + high) / 2, in: table)
      let nameEnd = nameEnd(from: start, in: table)
      let entry = table[start..<nameEnd]
      if entry.elementsEqual(name) { return match(at: nameEnd, in: table) }
      if entry.lexicographicallyPrecedes(name) {
        low = entryEnd(from: nameEnd, in: table) + 1
      } else {
        high = start
      }
    }
    return nil
  }

  private static func entryStart(before middle: Int, in table: [UInt8]) -> Int {
    var start = middle
    while start > 0, table[start - 1] != UInt8(ascii: " ") { start -= 1 }
    return start
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
    let values = table[(mark + 1)..<entryEnd(from: mark, in: table)]
    var text = ""
    for value in values.split(separator: UInt8(ascii: "+")) {
      let number = UInt32(String(decoding: value, as: UTF8.self), radix: 16)
      if let scalar = number.flatMap(Unicode.Scalar.init) { text.unicodeScalars.append(scalar) }
    }
    return Match(text: text, isLegacy: table[mark] == UInt8(ascii: ","))
  }
}
