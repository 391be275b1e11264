import Basics

/// The reason for closing a connection (RFC 6455 §7.4).
///
/// A struct instead of an enum, because applications have their own codes (4000–4999).
package struct CloseCode: Sendable, Hashable, RawRepresentable {
  /// The number on the wire.
  package let rawValue: UInt16

  /// Makes a code from its number.
  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  package static let normalClosure = CloseCode(rawValue: 1000)
  package static let goingAway = CloseCode(rawValue: 1001)
  package static let protocolError = CloseCode(rawValue: 1002)
  package static let unsupportedData = CloseCode(rawValue: 1003)
  package static let invalidPayload = CloseCode(rawValue: 1007)
  package static let policyViolation = CloseCode(rawValue: 1008)
  package static let messageTooBig = CloseCode(rawValue: 1009)
  package static let mandatoryExtension = CloseCode(rawValue: 1010)
  package static let internalError = CloseCode(rawValue: 1011)
  package static let serviceRestart = CloseCode(rawValue: 1012)
  package static let tryAgainLater = CloseCode(rawValue: 1013)
  package static let badGateway = CloseCode(rawValue: 1014)

  /// Whether the code is allowed in a close frame: registered for the wire, or reserved for libraries
  /// (3000–3999) and applications (4000–4999).
  ///
  /// 1004 is reserved; 1005, 1006 and 1015 only report events that no frame announces.
  package var isAllowedOnWire: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}

extension CloseCode: CustomStringConvertible {
  package var description: String { String(rawValue) }
}

/// The payload of a close frame (RFC 6455 §5.5.1): nothing, or a code and a reason.
package struct ClosePayload: Sendable, Hashable {
  /// The maximum number of UTF-8 bytes in a reason.
  package static let reasonByteLimit = FrameHeader.controlPayloadLimit - 2

  /// The code, if there is one.
  package let code: CloseCode?
  /// The reason; empty without a code.
  package let reason: String

  /// Makes a payload; cuts the reason to ``reasonByteLimit`` between two scalars.
  package init(code: CloseCode?, reason: String = "") {
    self.code = code
    self.reason = code == nil ? "" : Self.cut(reason)
  }

  /// Decodes a complete payload.
  init(decoding payload: [UInt8]) throws(WebSocketError) {
    if payload.isEmpty {
      self.init(code: nil)
      return
    }
    guard payload.count >= 2 else { throw .shortClosePayload }
    let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.isAllowedOnWire else { throw .invalidCloseCode(code) }
    var validator = UTF8Validator()
    guard validator.validate(payload.span.extracting(2...)), validator.isComplete else {
      throw .invalidCloseReason
    }
    self.init(code: code, reason: String(decoding: payload[2...], as: UTF8.self))
  }

  /// The bytes of the payload.
  package var encoded: [UInt8] {
    guard let code else { return [] }
    let number = code.rawValue
    return [UInt8(number >> 8), UInt8(number & 0xFF)] + Array(reason.utf8)
  }

  private static func cut(_ reason: String) -> String {
    guard reason.utf8.count > reasonByteLimit else { return reason }
    var result = String.UnicodeScalarView()
    var byteCount = 0
    for scalar in reason.unicodeScalars {
      byteCount += UTF8.width(scalar)
      if byteCount > reasonByteLimit { break }
      result.append(scalar)
    }
    return String(result)
  }
}
