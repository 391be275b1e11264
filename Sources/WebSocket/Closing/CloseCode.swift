/// Why a connection was closed (RFC 6455 §7.4).
///
/// A struct and not an enum, since applications have codes of their own (4000–4999).
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

  /// Whether the code may stand in a close frame: registered for the wire, or left to libraries
  /// (3000–3999) and applications (4000–4999).
  ///
  /// 1004 is reserved; 1005, 1006 and 1015 only report what happened without a frame.
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
