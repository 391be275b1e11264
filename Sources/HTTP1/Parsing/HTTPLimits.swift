/// The limits of a message beyond which it is refused.
package struct HTTPLimits: Sendable, Hashable {
  /// The most bytes of a request line, its line end not counted; beyond: 414.
  package var startLineBytes: Int
  /// The most bytes of a head, line ends included; beyond: 431.
  ///
  /// Also the most bytes of a chunked body's trailers, and of all its chunk extensions together.
  package var headBytes: Int
  /// The most fields in a head; beyond: 431.
  package var fieldCount: Int
  /// The most bytes of a body; beyond: 413.
  package var bodyBytes: Int
  /// The most bytes of a chunk's size line; beyond: 400.
  package var chunkLineBytes: Int

  /// Makes limits; the defaults suit a small API.
  package init(
    startLineBytes: Int = 8192, headBytes: Int = 16_384, fieldCount: Int = 100,
    bodyBytes: Int = 1_048_576, chunkLineBytes: Int = 256
  ) {
    self.startLineBytes = startLineBytes
    self.headBytes = headBytes
    self.fieldCount = fieldCount
    self.bodyBytes = bodyBytes
    self.chunkLineBytes = chunkLineBytes
  }
}
