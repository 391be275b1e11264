/// The header of a frame (RFC 6455 §5.2).
///
///     byte 0            byte 1       0, 2 or 8 bytes   0 or 4 bytes   length bytes
///     FIN RSV1-3 op:4   MASK len:7   extended length   masking key    payload
package struct FrameHeader: Sendable, Hashable {
  /// The maximum number of bytes in a header.
  package static let longestByteCount = 14
  /// The maximum number of bytes in a control frame's payload (§5.5).
  package static let controlPayloadLimit = 125

  /// Whether this is the last fragment of its message.
  package var isFinal: Bool
  /// The first reserved bit, which marks the first fragment of a compressed message (RFC 7692 §6).
  package var isCompressed: Bool
  /// The kind of the frame.
  package var opcode: Opcode
  /// The key with which the payload is masked; its first byte is the most significant.
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

extension FrameHeader {
  /// The result of decoding the beginning of a frame.
  enum Decoding {
    /// The header is longer than the received bytes; it has at least this many.
    case incomplete(atLeast: Int)
    /// A header and the number of its bytes.
    case complete(FrameHeader, byteCount: Int)
  }

  /// Decodes the header at the start of `bytes`; refuses values that no extension can allow.
  ///
  /// An invalid first byte is refused before the second has arrived.
  static func decode(_ bytes: Span<UInt8>) throws(WebSocketError) -> Decoding {
    guard bytes.count >= 1 else { return .incomplete(atLeast: 2) }
    let first = bytes[0]
    let opcode = Opcode(rawValue: first)
    guard first & 0x30 == 0 else { throw .reservedBit }
    guard !opcode.isReserved else { throw .reservedOpcode(opcode) }
    guard !opcode.isControl || first & 0x80 != 0 else { throw .fragmentedControlFrame }
    guard bytes.count >= 2 else { return .incomplete(atLeast: 2) }
    let second = bytes[1]
    let short = Int(second & 0x7F)
    guard !opcode.isControl || short <= controlPayloadLimit else { throw .longControlFrame }
    let lengthBytes = short < 126 ? 0 : short == 126 ? 2 : 8
    let byteCount = 2 + lengthBytes + (second & 0x80 == 0 ? 0 : 4)
    guard bytes.count >= byteCount else { return .incomplete(atLeast: byteCount) }
    let length = lengthBytes == 0 ? short : try extendedLength(bytes, byteCount: lengthBytes)
    let key =
      second & 0x80 == 0
      ? nil
      : MaskingKey(UInt32(truncatingIfNeeded: number(bytes, at: 2 + lengthBytes, byteCount: 4)))
    let header = FrameHeader(
      opcode: opcode, payloadLength: length, isFinal: first & 0x80 != 0,
      isCompressed: first & 0x40 != 0, maskingKey: key)
    return .complete(header, byteCount: byteCount)
  }

  private static func extendedLength(
    _ bytes: Span<UInt8>, byteCount: Int
  ) throws(WebSocketError) -> Int {
    let value = number(bytes, at: 2, byteCount: byteCount)
    guard let length = Int(exactly: value) else { throw .lengthOutOfRange }
    guard length >= (byteCount == 2 ? 126 : 0x1_0000) else { throw .lengthNotMinimal }
    return length
  }

  private static func number(_ bytes: Span<UInt8>, at start: Int, byteCount: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in start..<(start + byteCount) { value = value << 8 | UInt64(bytes[index]) }
    return value
  }
}

/// The kind of a frame (RFC 6455 §5.2), four bits on the wire.
package struct Opcode: Sendable, Hashable, RawRepresentable {
  /// The four bits.
  package let rawValue: UInt8

  /// Makes an opcode from the low four bits of `rawValue`.
  @inlinable
  package init(rawValue: UInt8) {
    self.rawValue = rawValue & 0x0F
  }

  package static let continuation = Opcode(rawValue: 0x0)
  package static let text = Opcode(rawValue: 0x1)
  package static let binary = Opcode(rawValue: 0x2)
  package static let close = Opcode(rawValue: 0x8)
  package static let ping = Opcode(rawValue: 0x9)
  package static let pong = Opcode(rawValue: 0xA)

  /// Whether the frame concerns the connection and is not part of a message (§5.5).
  package var isControl: Bool { rawValue & 0x8 != 0 }

  /// Whether no specification assigns this opcode a meaning.
  package var isReserved: Bool { rawValue & 0x7 > 2 }
}

/// The bytes of an incomplete header, stored inline so that waiting uses no heap memory.
struct PartialHeader: Sendable {
  private var bytes = InlineArray<14, UInt8>(repeating: 0)
  private var count: UInt8 = 0

  var isEmpty: Bool { count == 0 }

  /// Decodes the bytes received so far.
  func decode() throws(WebSocketError) -> FrameHeader.Decoding {
    try FrameHeader.decode(bytes.span.extracting(..<Int(count)))
  }

  /// Consumes bytes from `offset` until a header is complete or `input` ends.
  mutating func next(
    from input: Span<UInt8>, at offset: inout Int
  ) throws(WebSocketError) -> FrameHeader? {
    while true {
      switch try decode() {
      case .complete(let header, _):
        return header
      case .incomplete(let needed):
        guard offset < input.count else { return nil }
        while count < needed, offset < input.count {
          bytes[Int(count)] = input[offset]
          count += 1
          offset += 1
          // The first byte alone may already be invalid.
          if count == 1 { break }
        }
      }
    }
  }
}

/// Encodes whole frames independently of a connection, once for all receivers of a fan-out.
package enum FrameEncoder {
  /// The form of a frame's payload.
  package enum Compression: Sendable, Hashable {
    /// The uncompressed message.
    case none
    /// The output of ``DeflateWorkspace/compress(_:windowBits:into:)``.
    case deflated
  }

  /// Appends one unmasked, unfragmented frame, as a server sends it.
  ///
  /// - Parameter compressed: The form of `payload`; control frames are never compressed.
  package static func appendFrame(
    opcode: Opcode, payload: Span<UInt8>, compressed: Compression = .none,
    into bytes: inout [UInt8]
  ) {
    let header = FrameHeader(
      opcode: opcode, payloadLength: payload.count, isCompressed: compressed == .deflated)
    // Otherwise the header alone would need its own allocation first.
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
