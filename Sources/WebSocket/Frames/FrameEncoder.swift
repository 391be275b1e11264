/// Encodes whole frames without a connection, as fan-out needs them: once for many receivers.
package enum FrameEncoder {
  /// The payload of a frame.
  package enum Compression: Sendable, Hashable {
    /// The message as it is.
    case none
    /// The message as ``DeflateWorkspace/compress(_:windowBits:into:)`` left it.
    case deflated
  }

  /// Appends one unmasked, unfragmented frame, as a server sends it.
  ///
  /// - Parameter compressed: What `payload` is; control frames are never compressed.
  package static func appendFrame(
    opcode: Opcode, payload: Span<UInt8>, compressed: Compression = .none,
    into bytes: inout [UInt8]
  ) {
    let header = FrameHeader(
      opcode: opcode, payloadLength: payload.count, isCompressed: compressed == .deflated)
    // Else the header alone would take a block first.
    if bytes.isEmpty { bytes.reserveCapacity(FrameHeader.longestByteCount + payload.count) }
    header.encode(into: &bytes)
    payload.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }

  /// Appends one masked, unfragmented frame, as a client sends it.
  package static func appendMaskedFrame(
    opcode: Opcode, payload: Span<UInt8>, compressed: Compression = .none, key: MaskingKey,
    into bytes: inout [UInt8]
  ) {
    let header = FrameHeader(
      opcode: opcode, payloadLength: payload.count, isCompressed: compressed == .deflated,
      maskingKey: key)
    header.encode(into: &bytes)
    Masking.append(payload, maskedWith: key, to: &bytes)
  }
}
