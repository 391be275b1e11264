/// A JSON text that has been read and found valid (RFC 8259, with the unique names of RFC 7493).
///
/// Reading is one pass over the bytes; values are decoded when asked for. A byte order mark, lone
/// surrogate escapes and repeated member names are refused.
package struct JSONDocument: Sendable {
  private let tape: JSONTape

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - bytes: The whole text.
  ///   - limits: Where to stop; no input costs more than 16 bytes for each allowed node.
  /// - Throws: The first fault found, with its offset.
  /// - Complexity: O(*n*) in the number of bytes.
  package init(_ bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
    var parser = JSONParser(bytes: bytes, limits: limits)
    try parser.parseDocument()
    tape = JSONTape(bytes: bytes, entries: parser.entries)
  }

  /// Reads a text that is at hand as a string.
  package init(_ text: String, limits: JSONLimits = .standard) throws(JSONError) {
    try self.init(Array(text.utf8), limits: limits)
  }

  /// The value that the text is.
  package var root: JSONNode { JSONNode(tape: tape, index: 0) }
}

/// The limits above which a JSON text is refused.
package struct JSONLimits: Sendable, Hashable {
  /// Bytes of the whole text.
  package var byteCount: Int
  /// Arrays and objects open at once.
  package var depth: Int
  /// Values and member names together; each takes 16 bytes while the document lives.
  package var nodeCount: Int

  package init(byteCount: Int = 4_194_304, depth: Int = 32, nodeCount: Int = 20_000) {
    self.byteCount = byteCount
    self.depth = depth
    self.nodeCount = nodeCount
  }

  /// The default limits: 4 MiB, 32 levels, 20,000 nodes.
  package static let standard = JSONLimits()
}

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
