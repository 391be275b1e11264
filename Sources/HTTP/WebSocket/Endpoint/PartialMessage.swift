import Basics

/// A message whose last fragment has not been received (RFC 6455 §5.4).
struct PartialMessage {
  let opcode: Opcode
  let isCompressed: Bool
  private(set) var payload: [UInt8] = []
  private var text = UTF8Validator()
  private var emptyFragments: UInt16 = 0

  /// Begins a message with its first frame.
  init(_ header: FrameHeader) {
    opcode = header.opcode
    isCompressed = header.isCompressed
  }

  /// Refuses a frame that would make the message too large, or that is one empty fragment too many.
  mutating func admit(_ header: FrameHeader, limits: WebSocketLimits) throws(WebSocketError) {
    let limit = isCompressed ? limits.compressedWireBytes : limits.messageBytes
    guard header.payloadLength <= limit - payload.count else {
      throw .messageTooLarge(limit: limits.messageBytes)
    }
    guard header.payloadLength == 0, !header.isFinal else { return }
    guard emptyFragments < limits.emptyFragments else {
      throw .tooManyEmptyFragments(limit: Int(limits.emptyFragments))
    }
    emptyFragments += 1
  }

  /// Appends payload bytes as they arrive; invalid text is refused at its first invalid byte (§8.1).
  mutating func append(_ bytes: Span<UInt8>, key: MaskingKey?) throws(WebSocketError) {
    let start = payload.count
    Masking.append(bytes, maskedWith: key ?? MaskingKey(0), to: &payload)
    guard opcode == .text, !isCompressed else { return }
    var validator = text
    guard validator.validate(payload.span.extracting(start...)) else { throw .invalidText }
    text = validator
  }

  /// Checks that text does not end within a scalar.
  func checkEnd() throws(WebSocketError) {
    guard text.isComplete else { throw .invalidText }
  }
}

/// The position in a frame at which the received bytes end.
enum FrameReading {
  case header(PartialHeader)
  case payload(PartialFrame)

  /// The start of a frame of which nothing has been received.
  static var start: FrameReading { .header(PartialHeader()) }
}

/// A frame whose header has been received, but not all of its payload.
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
