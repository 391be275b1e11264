package import Channels
package import ParleyProtocol

/// What a channel event tells beside its channel, number and time.
package enum EventDetails: Sendable, Hashable {
  /// `channel.changed`, `.frozen`, `.unfrozen`, `.deleted`: the channel, which the caller has.
  case channel
  /// `channel.user_unmuted`, `.user_unbanned`.
  case user(User)
  /// `channel.user_muted`, `.user_banned`.
  case restriction(User, seconds: Int64, description: String)
  /// `channel.operators_changed`: all operators there were then.
  case operators([User])
}

extension RecordedEvent {
  /// The payload as values.
  ///
  /// - Throws: `StoreError.damaged` when it is not one of the store's own payloads.
  package func details() throws -> EventDetails {
    try StoredJSON.decode(EventPayload.self, from: payload).details
  }
}

/// `EventDetails` as JSON: the event's params in the wire's words.
struct EventPayload: Codable {
  private var user: Profile?
  private var seconds: Int64?
  private var description: String?
  private var operators: [Profile]?

  private struct Profile: Codable {
    var user_id: String
    var nickname: String
    var profile_url: String

    init(_ user: User) {
      user_id = user.id
      nickname = user.nickname
      profile_url = user.profileURL
    }

    var user: User {
      User(id: user_id, nickname: nickname, profileURL: profile_url)
    }
  }

  init(_ details: EventDetails) {
    switch details {
    case .channel: break
    case .user(let user): self.user = Profile(user)
    case .restriction(let user, let seconds, let description):
      self.user = Profile(user)
      self.seconds = seconds
      self.description = description
    case .operators(let users): operators = users.fitted().map(Profile.init)
    }
  }

  var details: EventDetails {
    switch (user, seconds, operators) {
    case (let user?, let seconds?, _):
      .restriction(user.user, seconds: seconds, description: description ?? "")
    case (let user?, nil, _): .user(user.user)
    case (nil, _, let operators?): .operators(operators.map(\.user))
    case (nil, _, nil): .channel
    }
  }
}
