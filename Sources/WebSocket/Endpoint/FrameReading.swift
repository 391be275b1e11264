/// The position in a frame at which the received bytes end.
enum FrameReading {
  case header(PartialHeader)
  case payload(PartialFrame)

  /// The beginning of a frame of which nothing has come.
  static var start: FrameReading { .header(PartialHeader()) }
}

/// A frame whose header has come and whose payload has not, or not all.
struct PartialFrame {
  let opcode: Opcode
  let isFinal: Bool
  private(set) var missing: Int
  private(set) var key: MaskingKey?

  init(_ header: FrameHeader) {
    opcode = header.opcode
    isFinal = header.isFinal
    missing = header.payloadLength
    key = header.maskingKey
  }

  /// Counts payload bytes as received.
  mutating func advance(by count: Int) {
    missing -= count
    key = key?.advanced(by: count)
  }
}
