/// The kind of a JSON value.
package enum JSONKind: UInt8, Sendable {
  case null
  case bool
  case number
  case string
  case array
  case object
}

/// One value or member name: where its text stands, and where the next sibling's entry is.
///
///     {"a":[1,2]}   entries: object, "a", array, 1, 2
///                   next:      5      2     5    4  5
struct JSONEntry: Sendable {
  var kind: JSONKind
  /// Whether a string holds an escape, and so has to be decoded rather than copied.
  var hasEscapes: Bool
  /// Of the value's first byte; of the opening quotation mark in a string.
  var start: UInt32
  /// Past the value's last byte; past the closing quotation mark in a string.
  var end: UInt32
  /// The entry after this value and all that it contains.
  var next: UInt32
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
