/// Why a text was refused as JSON, and where.
package struct JSONError: Error, Sendable, Hashable {
  /// The kind of the fault.
  package var kind: Kind
  /// Bytes before the fault.
  package var offset: Int
  /// The fault in words, without the offset.
  package var reason: String

  package init(_ kind: Kind, at offset: Int, _ reason: String) {
    self.kind = kind
    self.offset = offset
    self.reason = reason
  }

  /// The kinds of fault, as far as a caller may want to answer them differently.
  package enum Kind: Sendable, Hashable {
    /// Not a JSON text (RFC 8259).
    case syntax
    /// Not UTF-8 (RFC 8259 §8.1).
    case encoding
    /// One object names a member twice (RFC 7493 §2.3).
    case duplicateMember
    /// JSON, but longer, deeper or with more values than allowed.
    case limit
  }
}

extension JSONError: CustomStringConvertible {
  /// The fault and its place in one sentence.
  package var description: String { "\(reason) at byte \(offset)" }
}
