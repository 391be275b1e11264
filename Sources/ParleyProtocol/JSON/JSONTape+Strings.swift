extension JSONTape {
  /// A string without escapes: its bytes are its characters.
  func copiedString(_ entry: JSONEntry) -> String {
    String(decoding: contents(entry), as: UTF8.self)
  }

  /// A string with its escapes resolved.
  func decodedString(_ entry: JSONEntry) -> String {
    String(decoding: decodedContents(entry), as: UTF8.self)
  }

  /// Whether the string at `index` is `name`, byte for byte.
  func string(at index: Int, equals name: String) -> Bool {
    let entry = entries[index]
    guard !entry.hasEscapes else { return decodedContents(entry).elementsEqual(name.utf8) }
    let start = Int(entry.start) + 1
    guard Int(entry.end) - 1 - start == name.utf8.count else { return false }
    var position = start
    for byte in name.utf8 {
      guard bytes[position] == byte else { return false }
      position += 1
    }
    return true
  }

  private func contents(_ entry: JSONEntry) -> ArraySlice<UInt8> {
    bytes[Int(entry.start) + 1..<Int(entry.end) - 1]
  }

  private func decodedContents(_ entry: JSONEntry) -> [UInt8] {
    JSONEscapes.resolved(contents(entry))
  }
}
