import WebSocket

/// The gateway's own close codes (RFC 6455 §7.4.2 leaves 4000 to 4999 to applications).
extension CloseCode {
  /// No session was opened in time.
  static let openTimeout = CloseCode(rawValue: 4001)
  /// The token is missing, wrong, expired or revoked, or the user is deactivated.
  static let unauthorized = CloseCode(rawValue: 4002)
  /// The user opened more sessions than allowed: this was its oldest.
  static let tooManySessions = CloseCode(rawValue: 4003)
  /// More was waiting to be written than the connection's limit.
  static let slowConsumer = CloseCode(rawValue: 4004)
  /// Nothing came in time after a ping.
  static let pongTimeout = CloseCode(rawValue: 4005)
}
