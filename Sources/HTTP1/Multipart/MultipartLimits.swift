/// The limits of a multipart body's framing; the receiver limits the length of the content.
package struct MultipartLimits: Sendable, Hashable {
  /// The most bytes of a part's head, line ends included; beyond: 400.
  package var headBytes: Int
  /// The most parts; beyond: 400.
  package var partCount: Int

  /// Makes limits; the defaults suit a form with a file.
  package init(headBytes: Int = 8_192, partCount: Int = 64) {
    self.headBytes = headBytes
    self.partCount = partCount
  }
}
