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
