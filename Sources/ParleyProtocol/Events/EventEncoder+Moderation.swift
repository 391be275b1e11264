/// Events about mutes and bans.
extension EventEncoder {
  /// A user was muted.
  ///
  /// - Parameters:
  ///   - origin: Where and when.
  ///   - seq: The event's number in its channel.
  ///   - user: Who was muted.
  ///   - seconds: For how long; −1 stands for ten years.
  ///   - description: Why, in the operator's words.
  package static func userMuted(
    _ origin: EventOrigin, seq: Int64, user: User, seconds: Int64, description: String
  ) -> [UInt8] {
    restriction(.userMuted, origin, seq, user, seconds, description)
  }

  /// A mute was lifted.
  package static func userUnmuted(_ origin: EventOrigin, seq: Int64, user: User) -> [UInt8] {
    release(.userUnmuted, origin, seq, user)
  }

  /// A user was banned and is put out of the channel; parameters as for a mute.
  package static func userBanned(
    _ origin: EventOrigin, seq: Int64, user: User, seconds: Int64, description: String
  ) -> [UInt8] {
    restriction(.userBanned, origin, seq, user, seconds, description)
  }

  /// A ban was lifted.
  package static func userUnbanned(_ origin: EventOrigin, seq: Int64, user: User) -> [UInt8] {
    release(.userUnbanned, origin, seq, user)
  }

  private static func restriction(
    _ name: EventName, _ origin: EventOrigin, _ seq: Int64, _ user: User, _ seconds: Int64,
    _ description: String
  ) -> [UInt8] {
    channelEvent(name, origin, seq: seq) {
      $0.name("user")
      user.encodeReference(into: &$0)
      $0.member("seconds", seconds)
      $0.member("description", description)
    }
  }

  private static func release(
    _ name: EventName, _ origin: EventOrigin, _ seq: Int64, _ user: User
  ) -> [UInt8] {
    channelEvent(name, origin, seq: seq) {
      $0.name("user")
      user.encodeReference(into: &$0)
    }
  }
}
