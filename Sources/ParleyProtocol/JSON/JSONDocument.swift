/// A validated JSON text (RFC 8259, with the unique names of RFC 7493).
///
/// Parsing is one pass over the bytes; values are decoded on access. A byte order mark, lone surrogate
/// escapes and repeated member names are refused.
package struct JSONDocument: Sendable {
  private let tape: JSONTape

  /// Parses a text.
  ///
  /// - Parameters:
  ///   - bytes: The whole text.
  ///   - limits: The limits of the text; parsing uses at most 16 bytes of memory for each allowed node.
  /// - Throws: The first error, with its offset.
  /// - Complexity: O(*n*) in the number of bytes.
  package init(_ bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
    var parser = JSONParser(bytes: bytes, limits: limits)
    try parser.parseDocument()
    tape = JSONTape(bytes: bytes, entries: parser.entries)
  }

  /// Parses a text from a string.
  package init(_ text: String, limits: JSONLimits = .standard) throws(JSONError) {
    try self.init(Array(text.utf8), limits: limits)
  }

  /// The root value of the text.
  package var root: JSONNode { JSONNode(tape: tape, index: 0) }
}

/// The limits above which a JSON text is refused.
package struct JSONLimits: Sendable, Hashable {
  /// The maximum number of bytes in the text.
  package var byteCount: Int
  /// The maximum depth of nested arrays and objects.
  package var depth: Int
  /// The maximum number of values and member names; each takes 16 bytes while the document exists.
  package var nodeCount: Int

  package init(byteCount: Int = 4_194_304, depth: Int = 32, nodeCount: Int = 20_000) {
    self.byteCount = byteCount
    self.depth = depth
    self.nodeCount = nodeCount
  }

  /// The default limits: 4 MiB, 32 levels, 20,000 nodes.
  package static let standard = JSONLimits()
}

/// The reason why a text was refused as JSON, and its position.
package struct JSONError: Error, Sendable, Hashable {
  /// The kind of error.
  package var kind: Kind
  /// The number of bytes before the error.
  package var offset: Int
  /// The error as text, without the offset.
  package var reason: String

  package init(_ kind: Kind, at offset: Int, _ reason: String) {
    self.kind = kind
    self.offset = offset
    self.reason = reason
  }

  /// The kinds of error that callers may handle differently.
  package enum Kind: Sendable, Hashable {
    /// Not a JSON text (RFC 8259).
    case syntax
    /// Not UTF-8 (RFC 8259 §8.1).
    case encoding
    /// An object has two members with the same name (RFC 7493 §2.3).
    case duplicateMember
    /// JSON that is longer, deeper or has more values than allowed.
    case limit
  }
}

extension JSONError: CustomStringConvertible {
  /// The error and its position in one sentence.
  package var description: String { "\(reason) at byte \(offset)" }
}
