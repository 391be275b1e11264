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
