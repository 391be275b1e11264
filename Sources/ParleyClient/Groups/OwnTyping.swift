/// Decides which calls about the current user's typing in a group are sent.
///
/// An application may call with each key that is pressed. The server needs one call in 10 s.
struct OwnTyping: Sendable {
  /// The time after which the beginning is sent again.
  static let interval = Duration.seconds(2)

  /// The time of the last call that was sent; `nil` while the user is not typing.
  private var sentAt: ContinuousClock.Instant?

  /// Notes that the user types.
  ///
  /// - Returns: Whether to send the call.
  mutating func begin(at now: ContinuousClock.Instant) -> Bool {
    if let sentAt, now < sentAt + Self.interval { return false }
    sentAt = now
    return true
  }

  /// Notes that the user no longer types.
  ///
  /// - Returns: Whether to send the call.
  mutating func end() -> Bool {
    defer { sentAt = nil }
    return sentAt != nil
  }
}
