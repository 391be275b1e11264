import LinkPreview

/// Makes something of the body of a response.
protocol BodyReader: AnyObject {
  /// Reads the next bytes, decompressed.
  ///
  /// - Returns: How the reading ended, in words; `nil` when more is wanted.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> String?

  /// What the bytes so far amount to.
  func finish() -> TransferOutcome
}
