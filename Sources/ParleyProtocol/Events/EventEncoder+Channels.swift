/// Events about channels and those in them.
extension EventEncoder {
  /// A channel's name, cover, data or type changed; `channel` is its JSON.
  package static func channelChanged(
    _ origin: EventOrigin, seq: Int64, channel: [UInt8]
  ) -> [UInt8] {
    spliced(.channelChanged, origin, seq, channel)
  }

  /// A channel was deleted; `channel` is its JSON as it was last.
  package static func channelDeleted(
    _ origin: EventOrigin, seq: Int64, channel: [UInt8]
  ) -> [UInt8] {
    spliced(.channelDeleted, origin, seq, channel)
  }

  /// Only operators may send from now on; `channel` is the channel's JSON.
  package static func channelFrozen(
    _ origin: EventOrigin, seq: Int64, channel: [UInt8]
  ) -> [UInt8] {
    spliced(.channelFrozen, origin, seq, channel)
  }

  /// Everyone may send again; `channel` is the channel's JSON.
  package static func channelUnfrozen(
    _ origin: EventOrigin, seq: Int64, channel: [UInt8]
  ) -> [UInt8] {
    spliced(.channelUnfrozen, origin, seq, channel)
  }

  /// A channel has other operators now; `operators` are all of them.
  package static func operatorsChanged(
    _ origin: EventOrigin, seq: Int64, operators: [User]
  ) -> [UInt8] {
    channelEvent(.operatorsChanged, origin, seq: seq) {
      $0.name("operators")
      operators.fitted().encodeReferences(into: &$0)
    }
  }

  /// A user came in, its first connection in the channel.
  package static func userEntered(
    _ origin: EventOrigin, user: User, participantCount: Int
  ) -> [UInt8] {
    presence(.userEntered, origin, user, participantCount)
  }

  /// A user left, its last connection in the channel.
  package static func userExited(
    _ origin: EventOrigin, user: User, participantCount: Int
  ) -> [UInt8] {
    presence(.userExited, origin, user, participantCount)
  }

  /// The number of participants of a large channel changed.
  package static func participantCount(
    _ origin: EventOrigin, participantCount: Int
  ) -> [UInt8] {
    channelEvent(.participantCount, origin, seq: nil) {
      $0.member("participant_count", participantCount)
    }
  }

  private static func spliced(
    _ name: EventName, _ origin: EventOrigin, _ seq: Int64, _ channel: [UInt8]
  ) -> [UInt8] {
    channelEvent(name, origin, seq: seq, reserving: channel.count) {
      $0.member("channel", raw: channel)
    }
  }

  private static func presence(
    _ name: EventName, _ origin: EventOrigin, _ user: User, _ count: Int
  ) -> [UInt8] {
    channelEvent(name, origin, seq: nil) {
      $0.name("user")
      user.encodeReference(into: &$0)
      $0.member("participant_count", count)
    }
  }
}
