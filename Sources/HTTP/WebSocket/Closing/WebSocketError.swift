/// A violation of the protocol by the peer.
///
/// The rest of the stream cannot be interpreted: the connection is failed (RFC 6455 §7.1.7), with
/// ``closeCode`` in the close frame.
package enum WebSocketError: Error, Sendable, Hashable {
  /// The second or third reserved bit is set, or the first where no extension gives it a meaning.
  case reservedBit
  /// The opcode has no meaning (§5.2).
  case reservedOpcode(Opcode)
  /// A control frame is not final (§5.5).
  case fragmentedControlFrame
  /// A control frame has more than 125 bytes (§5.5).
  case longControlFrame
  /// A client's frame is not masked (§5.1).
  case unmaskedFrame
  /// A server's frame is masked (§5.1).
  case maskedFrame
  /// A length is encoded in more bytes than necessary (§5.2).
  case lengthNotMinimal
  /// A length has its top bit set (§5.2).
  case lengthOutOfRange
  /// A continuation frame has no message to continue (§5.4).
  case unexpectedContinuation
  /// A new message begins within another (§5.4).
  case missingContinuation
  /// A close frame has a payload of one byte (§5.5.1).
  case shortClosePayload
  /// A close code is not allowed in a frame (§7.4).
  case invalidCloseCode(CloseCode)
  /// A close frame's reason is not UTF-8 (§5.5.1).
  case invalidCloseReason
  /// A text message is not UTF-8 (§8.1).
  case invalidText
  /// A compressed message is not valid DEFLATE data (RFC 7692 §7.2.2).
  case invalidCompression
  /// A message, compressed or inflated, is larger than the limit.
  case messageTooLarge(limit: Int)
  /// A message has more empty fragments than the limit.
  case tooManyEmptyFragments(limit: Int)
  /// More consecutive control frames than the limit arrived at once, without data between them.
  case tooManyControlFrames(limit: Int)

  /// The code sent to the peer (§7.4.1).
  package var closeCode: CloseCode {
    switch self {
    case .invalidText, .invalidCloseReason, .invalidCompression: .invalidPayload
    case .messageTooLarge: .messageTooBig
    case .tooManyEmptyFragments, .tooManyControlFrames: .policyViolation
    case .reservedBit, .reservedOpcode, .fragmentedControlFrame, .longControlFrame, .unmaskedFrame,
      .maskedFrame, .lengthNotMinimal, .lengthOutOfRange, .unexpectedContinuation,
      .missingContinuation, .shortClosePayload, .invalidCloseCode:
      .protocolError
    }
  }
}

extension WebSocketError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .reservedBit: "a reserved bit is set"
    case .reservedOpcode(let opcode): "opcode \(opcode.rawValue) is reserved"
    case .fragmentedControlFrame: "a control frame is fragmented"
    case .longControlFrame: "a control frame has more than 125 bytes"
    case .unmaskedFrame: "a client's frame is not masked"
    case .maskedFrame: "a server's frame is masked"
    case .lengthNotMinimal: "a length is not in its shortest form"
    case .lengthOutOfRange: "a length has its top bit set"
    case .unexpectedContinuation: "a continuation has no message to continue"
    case .missingContinuation: "a message begins within another"
    case .shortClosePayload: "a close frame has a payload of one byte"
    case .invalidCloseCode(let code): "close code \(code) may not be sent"
    case .invalidCloseReason: "a close reason is not UTF-8"
    case .invalidText: "a text message is not UTF-8"
    case .invalidCompression: "a compressed message cannot be inflated"
    case .messageTooLarge(let limit): "a message is larger than \(limit) bytes"
    case .tooManyEmptyFragments(let limit): "a message has more than \(limit) empty fragments"
    case .tooManyControlFrames(let limit): "more than \(limit) control frames came at once"
    }
  }
}
