internal import Bytes

/// Whole numbers and their ranges.
extension Parameters {
  /// A whole number in `range`, if given.
  package func integer(
    _ name: String, in range: ClosedRange<Int64>
  ) throws(ServiceError) -> Int64? {
    guard let node = value(name) else { return nil }
    guard node.kind == .number else { throw .notNumber(name) }
    let number = try Self.wholeNumber(node, name)
    guard number >= 0 || range.lowerBound < 0 else { throw .negative(name, number) }
    guard range.contains(number) else { throw .outOfRange(name, number, range) }
    return number
  }

  /// A message's id, which must be given.
  package func messageID() throws(ServiceError) -> Int64 {
    guard let id = try integer("message_id", in: Limits.messageIDs) else {
      throw .missing("message_id")
    }
    return id
  }

  /// The whole number in `node`, which is a number; refusals call it `name`.
  ///
  /// - Throws: 400111 for one with a fraction, 400113 for one beyond 64 bits.
  package static func wholeNumber(
    _ node: JSONNode, _ name: String
  ) throws(ServiceError) -> Int64 {
    if let number = node.integer { return number }
    let text = String(decoding: node.raw.prefix(64), as: UTF8.self)
    // What is not told exactly within ±2^53 has a fraction.
    guard let number = node.number, number.magnitude <= Double(Limits.messageIDs.upperBound) else {
      throw ServiceError(.outOfRange, "'\(name)' is \(DisplayText.excerpt(text))", field: name)
    }
    throw .invalid(name, text, expected: "a whole number")
  }
}
