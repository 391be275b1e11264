/// The header of a frame (RFC 6455 §5.2).
///
///     byte 0            byte 1       0, 2 or 8 bytes   0 or 4 bytes   length bytes
///     FIN RSV1-3 op:4   MASK len:7   extended length   masking key    payload
package struct FrameHeader: Sendable, Hashable {
  /// The most bytes that a header takes.
  package static let longestByteCount = 14
  /// The most bytes of a control frame's payload (§5.5).
  package static let controlPayloadLimit = 125

  /// Whether this is the last fragment of its message.
  package var isFinal: Bool
  /// The first reserved bit: on a message's first fragment, that it is compressed (RFC 7692 §6).
  package var isCompressed: Bool
  /// The kind of the frame.
  package var opcode: Opcode
  /// The key that the payload is masked with, its first byte the most significant.
  package var maskingKey: MaskingKey?
  /// The number of payload bytes, below 2⁶³.
  package var payloadLength: Int

  /// Makes a header.
  package init(
    opcode: Opcode, payloadLength: Int, isFinal: Bool = true, isCompressed: Bool = false,
    maskingKey: MaskingKey? = nil
  ) {
    self.isFinal = isFinal
    self.isCompressed = isCompressed
    self.opcode = opcode
    self.maskingKey = maskingKey
    self.payloadLength = payloadLength
  }

  /// Appends the header with its length in the fewest bytes.
  package func encode(into bytes: inout [UInt8]) {
    bytes.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
    let maskBit: UInt8 = maskingKey == nil ? 0 : 0x80
    if payloadLength < 126 {
      bytes.append(maskBit | UInt8(truncatingIfNeeded: payloadLength))
    } else if payloadLength <= 0xFFFF {
      bytes.append(maskBit | 126)
      Self.append(UInt64(payloadLength), byteCount: 2, to: &bytes)
    } else {
      bytes.append(maskBit | 127)
      Self.append(UInt64(payloadLength), byteCount: 8, to: &bytes)
    }
    if let maskingKey { Self.append(UInt64(maskingKey.word), byteCount: 4, to: &bytes) }
  }

  private static func append(_ number: UInt64, byteCount: Int, to bytes: inout [UInt8]) {
    for index in (0..<byteCount).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index))))
    }
  }
}
