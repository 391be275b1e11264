extension FrameHeader {
  /// The result of decoding the beginning of a frame.
  enum Decoding {
    /// The header is longer than what has come; it has at least this many bytes.
    case incomplete(atLeast: Int)
    /// A header and the number of its bytes.
    case complete(FrameHeader, byteCount: Int)
  }

  /// Decodes the header at the front of `bytes`, refusing what no extension could allow.
  ///
  /// A wrong first byte is refused before the second has come.
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
