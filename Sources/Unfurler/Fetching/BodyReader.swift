import LinkPreview

/// Makes something of the body of a response.
protocol BodyReader: AnyObject {
  /// Reads the next bytes, decompressed.
  ///
  /// - Returns: How the reading ended, in words; `nil` when more is wanted.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> String?

  /// The state of reading after the bytes so far.
  func finish() -> TransferOutcome
}
