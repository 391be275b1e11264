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
