import Basics

/// The payload of a close frame (RFC 6455 §5.5.1): nothing, or a code and a reason.
package struct ClosePayload: Sendable, Hashable {
  /// The most bytes of UTF-8 that a reason may have.
  package static let reasonByteLimit = FrameHeader.controlPayloadLimit - 2

  /// The code, if there is one.
  package let code: CloseCode?
  /// The reason; empty without a code.
  package let reason: String

  /// Makes a payload, cutting the reason to ``reasonByteLimit`` between two scalars.
  package init(code: CloseCode?, reason: String = "") {
    self.code = code
    self.reason = code == nil ? "" : Self.cut(reason)
  }

  /// Decodes a payload that has come whole.
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
