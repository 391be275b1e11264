import Channels
import ParleyProtocol
import Store

extension Result<ChannelView, ServiceError> {
  /// The body of an answer that is a channel.
  var encodedForPlatform: Result<[UInt8], ServiceError> {
    encoded { $0.encodeForPlatform(into: &$1) }
  }
}

extension PlatformCall {
  /// Gives a command to the channel that the path names, and answers with the channel.
  func performOnChannel(_ command: ChannelCommand) throws(ServiceError) -> Work {
    try perform(command) { answer, writer in
      if case .channel(let view) = answer { view.encodeForPlatform(into: &writer) }
    }
  }
}

extension ChannelView {
  /// Writes the channel as the Platform API shows it: its time in seconds.
  func encodeForPlatform(into writer: inout JSONWriter) {
    writer.object {
      $0.member("channel_url", channel.url)
      $0.member("name", channel.name)
      $0.member("cover_url", channel.coverURL)
      $0.member("custom_type", channel.customType)
      $0.member("data", channel.data)
      $0.member("is_ephemeral", channel.isEphemeral)
      $0.member("is_dynamic_partitioned", false)
      $0.member("participant_count", participantCount)
      $0.member("max_length_message", Limits.messageLength)
      $0.name("operators")
      channel.operators.encode(into: &$0)
      $0.member("freeze", channel.isFrozen)
      $0.member("metadata", channel.metadata)
      $0.member("created_at", channel.createdAt / 1000)
    }
  }
}

extension ParticipantPage {
  /// Who is in a channel has a session, and so is online.
  func encodedForPlatform(mutedIDs: Set<String>) -> [UInt8] {
    JSONWriter.bytes { writer in
      writer.object {
        $0.member(
          "participants",
          array: {
            for user in users {
              user.encodeAsParticipant(isMuted: mutedIDs.contains(user.id), into: &$0)
            }
          })
        $0.member("next", next)
      }
    }
  }
}

extension User {
  fileprivate func encodeAsParticipant(isMuted: Bool, into writer: inout JSONWriter) {
    writer.object {
      $0.member("user_id", id)
      $0.member("nickname", nickname)
      $0.member("profile_url", profileURL)
      $0.member("is_muted", isMuted)
      $0.member("is_online", true)
      $0.member("last_seen_at", 0)
    }
  }
}

extension ImposedRestriction {
  /// Writes a ban: whose, from when to when (Unix milliseconds), and why.
  func encodeForPlatform(into writer: inout JSONWriter) {
    writer.object {
      $0.name("user")
      user.encode(into: &$0)
      $0.member("start_at", restriction.startsAt)
      $0.member("end_at", restriction.endsAt)
      $0.member("description", restriction.description)
    }
  }
}

extension RestrictedUser {
  /// Writes a muted user.
  func encodeAsMute(at now: Int64, into writer: inout JSONWriter) {
    writer.object {
      $0.member("user_id", user.id)
      $0.member("nickname", user.nickname)
      $0.member("profile_url", user.profileURL)
      $0.member("metadata", user.metadata)
      $0.restriction(restriction, at: now)
    }
  }
}

extension JSONWriter {
  /// Writes how long a mute holds, in milliseconds; zeros for none.
  mutating func restriction(_ restriction: Restriction?, at now: Int64) {
    member("start_at", restriction?.startsAt ?? 0)
    member("end_at", restriction?.endsAt ?? 0)
    member("remaining_duration", restriction.map { max($0.endsAt - now, 0) } ?? 0)
    member("description", restriction?.description ?? "")
  }
}
