/// How much a peer may send before the connection is failed, and when compression pays.
package struct WebSocketLimits: Sendable, Hashable {
  /// The most bytes of a message, inflated; beyond: 1009.
  package var messageBytes: Int
  /// The most empty fragments of one message; beyond: 1008.
  package var emptyFragments: UInt16
  /// The most control frames in one call of `receive` without data between them; beyond: 1008.
  ///
  /// Each is legal, but a reader that is fed nothing else does no useful work. Counting per call
  /// needs no clock: a connection that only exchanges pings now and then never gets near.
  package var controlFrames: UInt16
  /// The smallest message, in bytes, that is sent compressed where that was agreed.
  package var compressedMessageBytes: UInt16

  /// Makes limits.
  package init(
    messageBytes: Int = 262_144, emptyFragments: UInt16 = 100, controlFrames: UInt16 = 1000,
    compressedMessageBytes: UInt16 = 64
  ) {
    self.messageBytes = max(0, messageBytes)
    self.emptyFragments = emptyFragments
    self.controlFrames = controlFrames
    self.compressedMessageBytes = compressedMessageBytes
  }

  /// The most bytes of a compressed message on the wire.
  ///
  /// What cannot be compressed grows a little, by an eighth at most in any sensible encoder.
  var compressedWireBytes: Int {
    messageBytes.addingReportingOverflow(messageBytes / 8 + 64).overflow
      ? .max : messageBytes + messageBytes / 8 + 64
  }
}
