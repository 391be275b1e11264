/// One value of a document, which keeps the document's text alive.
package struct JSONNode: Sendable {
  let tape: JSONTape
  let index: Int

  var entry: JSONEntry { tape.entries[index] }

  /// Whether the value is a string with escapes; otherwise it contains no character below U+0020.
  var hasEscapes: Bool { entry.hasEscapes }

  /// The kind of the value.
  package var kind: JSONKind { entry.kind }

  /// Whether the value is `null`.
  package var isNull: Bool { kind == .null }

  /// The value's text, including quotation marks and brackets.
  package var raw: ArraySlice<UInt8> {
    let entry = entry
    return tape.bytes[Int(entry.start)..<Int(entry.end)]
  }

  /// The memory of the whole document, which the value keeps alive: its text and its list of values.
  package var documentByteCount: Int {
    tape.bytes.count + tape.entries.count * MemoryLayout<JSONEntry>.stride
  }

  /// The decoded string, or `nil` when the value is not a string.
  package var string: String? {
    let entry = entry
    guard entry.kind == .string else { return nil }
    return entry.hasEscapes ? tape.decodedString(entry) : tape.copiedString(entry)
  }

  /// The boolean, or `nil` when the value is neither `true` nor `false`.
  package var bool: Bool? {
    let entry = entry
    return entry.kind == .bool ? tape.bytes[Int(entry.start)] == UInt8(ascii: "t") : nil
  }

  /// The value as a whole number, or `nil` when it is not one or has no exact value.
  ///
  /// Plain digits are accepted up to `Int64`. `1.0` and `1e3` are accepted when the value is integral
  /// and within ±2^53, where all parsers agree about it.
  package var integer: Int64? {
    kind == .number ? JSONNumber.integer(raw) : nil
  }

  /// The nearest `Double`, or `nil` when the value is not a number or outside the finite range.
  package var number: Double? {
    guard kind == .number else { return nil }
    let value = Double(String(decoding: raw, as: UTF8.self))
    return value?.isFinite == true ? value : nil
  }

  /// The values of an array in order; empty when the value is not an array.
  package var elements: JSONElements { JSONElements(self) }

  /// The members of an object in order; empty when the value is not an object.
  package var members: JSONMembers { JSONMembers(self) }

  /// The member with that name, including one that is `null`.
  ///
  /// - Complexity: O(*n*) in the number of members.
  package subscript(name: String) -> JSONNode? {
    guard kind == .object else { return nil }
    guard let value = tape.member(name, ofObjectAt: index) else { return nil }
    return JSONNode(tape: tape, index: value)
  }

  /// The member with that name, unless it is `null`, which counts as absent.
  package func present(_ name: String) -> JSONNode? {
    guard kind == .object, let value = tape.member(name, ofObjectAt: index),
      tape.entries[value].kind != .null
    else { return nil }
    return JSONNode(tape: tape, index: value)
  }
}

/// The values of an array.
package struct JSONElements: Sequence, IteratorProtocol, Sendable {
  private let tape: JSONTape
  private var index: Int
  private let end: Int

  init(_ node: JSONNode) {
    tape = node.tape
    index = node.index + 1
    end = node.kind == .array ? Int(node.entry.next) : index
  }

  /// The next value, or `nil` after the last.
  package mutating func next() -> JSONNode? {
    guard index < end else { return nil }
    defer { index = Int(tape.entries[index].next) }
    return JSONNode(tape: tape, index: index)
  }
}

/// The members of an object.
package struct JSONMembers: Sequence, IteratorProtocol, Sendable {
  private let tape: JSONTape
  private var index: Int
  private let end: Int

  init(_ node: JSONNode) {
    tape = node.tape
    index = node.index + 1
    end = node.kind == .object ? Int(node.entry.next) : index
  }

  /// The next member, or `nil` after the last.
  package mutating func next() -> (name: String, node: JSONNode)? {
    guard index < end else { return nil }
    let value = JSONNode(tape: tape, index: index + 1)
    let name = JSONNode(tape: tape, index: index).string ?? ""
    index = Int(value.entry.next)
    return (name, value)
  }
}
