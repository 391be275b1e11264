/// The kind of a JSON value.
package enum JSONKind: UInt8, Sendable {
  case null
  case bool
  case number
  case string
  case array
  case object
}

/// One value or member name: the position of its text, and the entry of its next sibling.
///
///     {"a":[1,2]}   entries: object, "a", array, 1, 2
///                   next:      5      2     5    4  5
struct JSONEntry: Sendable {
  var kind: JSONKind
  /// Whether a string contains an escape, and so has to be decoded instead of copied.
  var hasEscapes = false
  /// The lengths of an object's member names, which allow most missing names to be detected quickly.
  var nameLengths = NameLengths()
  /// The offset of the value's first byte; for a string, of the opening quotation mark.
  var start: UInt32
  /// The offset after the value's last byte; for a string, after the closing quotation mark.
  var end: UInt32
  /// The entry after this value and all its contents.
  var next: UInt32
}

/// The lengths of some names, as a set of remainders modulo 16.
struct NameLengths: Sendable {
  private var bits: UInt16 = 0

  /// Adds the length of a name.
  mutating func insert(_ length: Int) { bits |= Self.bit(length) }

  /// Adds all lengths.
  mutating func insertAll() { bits = .max }

  /// Whether there may be a name of `length` bytes.
  func mayContain(_ length: Int) -> Bool { bits & Self.bit(length) != 0 }

  private static func bit(_ length: Int) -> UInt16 { 1 << UInt16(truncatingIfNeeded: length & 15) }
}

/// A validated text with its flat list of values, shared by all nodes of a document.
final class JSONTape: Sendable {
  let bytes: [UInt8]
  let entries: [JSONEntry]

  init(bytes: [UInt8], entries: [JSONEntry]) {
    self.bytes = bytes
    self.entries = entries
  }
}

extension JSONTape {
  /// A string without escapes, whose bytes are its characters.
  func copiedString(_ entry: JSONEntry) -> String {
    String(decoding: contents(entry), as: UTF8.self)
  }

  /// A string with its escapes decoded.
  func decodedString(_ entry: JSONEntry) -> String {
    String(decoding: decodedContents(entry), as: UTF8.self)
  }

  /// The index of the value of the member `name`, in the object at `object`.
  func member(_ name: String, ofObjectAt object: Int) -> Int? {
    // Each request is searched for about twenty names, of which it has a few.
    guard entries[object].nameLengths.mayContain(name.utf8.count) else { return nil }
    var name = name
    return name.withUTF8 { name in
      // Most members are skipped by comparing lengths. The parser has set the `next` values of an
      // object's entries so that they lead to the next entry inside the object.
      entries.withUnsafeBufferPointer { entries in
        let end = Int(entries[object].next)
        let length = UInt32(truncatingIfNeeded: name.count &+ 2)
        var key = object + 1
        while key < end {
          let entry = entries[key]
          if entry.end &- entry.start == length || entry.hasEscapes, string(entry, equals: name) {
            return key + 1
          }
          key = Int(entries[key + 1].next)
        }
        return nil
      }
    }
  }

  /// - Parameter name: A name of the same length as the string, unless the string has escapes.
  private func string(_ entry: JSONEntry, equals name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard !entry.hasEscapes else { return decodedContents(entry).elementsEqual(name) }
    let start = Int(entry.start) + 1
    for index in name.indices where bytes[start + index] != name[index] { return false }
    return true
  }

  private func contents(_ entry: JSONEntry) -> ArraySlice<UInt8> {
    bytes[Int(entry.start) + 1..<Int(entry.end) - 1]
  }

  private func decodedContents(_ entry: JSONEntry) -> [UInt8] {
    JSONEscapes.resolved(contents(entry))
  }
}
