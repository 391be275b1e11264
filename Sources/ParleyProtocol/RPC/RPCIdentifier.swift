/// The id of a request, kept as it was written so that the reply repeats it exactly.
package struct RPCIdentifier: Sendable, Hashable {
  /// The id's JSON text: digits, or a string with its quotation marks.
  package let json: String

  /// Takes over a string or whole number; `nil` for any other value.
  package init?(_ node: JSONNode) {
    switch node.kind {
    case .string: break
    case .number where node.integer != nil || Self.isWhole(node.raw): break
    default: return nil
    }
    json = String(decoding: node.raw, as: UTF8.self)
  }

  /// An id for a request of our own.
  package init(_ number: Int64) {
    json = String(number)
  }

  private static func isWhole(_ digits: ArraySlice<UInt8>) -> Bool {
    digits.allSatisfy { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
  }
}
