/// A call about which the app's back end is asked before it is carried out.
package enum HookName: String, Sendable, CaseIterable, Comparable {
  case sessionOpen = "session.open"
  case channelCreate = "channel.create"
  case channelEnter = "channel.enter"
  case groupCreate = "group.create"
  case groupJoin = "group.join"
  case groupInvite = "group.invite"
  case messageSend = "message.send"
  case messageUpdate = "message.update"
  case fileCreate = "file.create"

  package static func < (left: HookName, right: HookName) -> Bool { left.rawValue < right.rawValue }

  /// The members of an answer's `changes` that have an effect.
  package var changeable: [String] {
    switch self {
    case .sessionOpen: ["user_id", "nickname", "profile_url", "metadata", "expires_at", "data"]
    case .channelCreate: ["name", "data", "custom_type", "cover_url", "operator_ids"]
    case .groupCreate: ["name", "data", "custom_type", "cover_url", "operator_ids", "user_ids"]
    case .channelEnter, .groupJoin: []
    case .groupInvite: ["user_ids"]
    case .messageSend:
      [
        "message", "data", "custom_type", "metaarray", "mentioned_user_ids",
        "translation_target_langs", "push_option", "silent",
      ]
    case .messageUpdate: ["message", "data", "custom_type", "mentioned_user_ids"]
    case .fileCreate: ["name"]
    }
  }
}

/// The treatment of calls while the app's back end gives no valid answer.
package enum HookPolicy: String, Sendable, CaseIterable {
  /// The call is refused.
  case deny
  /// The call is carried out as if there were no hook.
  case allow
}

/// The outcome of asking the app's back end about a call.
package enum HookOutcome: String, Sendable, CaseIterable {
  case allowed
  case changed
  case denied
  /// There was no valid answer in time.
  case failed
  /// The back end was not asked, because it fails or too many calls wait.
  case skipped
}
