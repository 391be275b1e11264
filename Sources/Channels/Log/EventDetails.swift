package import ParleyProtocol

/// The content of a channel event beside its channel, number and time.
package enum EventDetails: Sendable, Hashable {
  /// `channel.changed`, `.frozen`, `.unfrozen`, `.deleted`: the channel, which the caller has.
  case channel
  /// `channel.user_unmuted`, `.user_unbanned`.
  case user(User)
  /// `channel.user_muted`, `.user_banned`.
  case restriction(User, seconds: Int64, description: String)
  /// `channel.operators_changed`: all operators there were then.
  case operators([User])

  /// The details as a ``RecordedEvent/payload``.
  package var payload: String {
    let bytes = JSONWriter.bytes { writer in
      writer.object { writer in
        switch self {
        case .channel: break
        case .user(let user):
          writer.name("user")
          user.encodeReference(into: &writer)
        case .restriction(let user, let seconds, let description):
          writer.name("description")
          writer.value(description)
          writer.name("seconds")
          writer.value(seconds)
          writer.name("user")
          user.encodeReference(into: &writer)
        case .operators(let users):
          writer.name("operators")
          users.fitted().encodeReferences(into: &writer)
        }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
