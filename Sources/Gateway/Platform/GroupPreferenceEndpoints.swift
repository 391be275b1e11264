import Channels
import Configuration
import ParleyProtocol
import Store

/// Whether users join groups as soon as they are invited, below `/v3/users/{id}`.
enum InvitationPreferenceEndpoints {
  /// `GET …/channel_invitation_preference`.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let isDefault = call.services.settings.groups.autoAccept
    call.perform(UserChoicesLookup(of: try call.userID), completion) { choices, writer in
      writer.object { $0.member("auto_accept", choices.acceptsInvitations ?? isDefault) }
    }
  }

  /// `PUT …/channel_invitation_preference`: invitations that are open stay open.
  static func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.userID
    guard let accepts = try call.body.boolean("auto_accept") else { throw .missing("auto_accept") }
    let change = UserChoicesChange(of: userID, acceptsInvitations: accepts)
    call.perform(change, completion) { _, writer in
      writer.object { $0.member("auto_accept", accepts) }
    }
  }
}

/// The numbers of unread messages that a user wants to know of a group, below `/v3/users/{id}`.
enum CountPreferenceEndpoints {
  private enum Preference: String, CaseIterable {
    case all
    case messagesOnly = "unread_message_count_only"
    case mentionsOnly = "unread_mentioned_count_only"
    case off = "false"

    var value: CountPreference {
      switch self {
      case .all: .all
      case .messagesOnly: .messagesOnly
      case .mentionsOnly: .mentionsOnly
      case .off: .off
      }
    }
  }

  /// `GET …/count_preference/{channel_url}`.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.viewOwnMembership(completion) { $0.encodePreference(into: &$1) }
  }

  /// `PUT …/count_preference/{channel_url}`.
  static func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    guard let preference = try call.body.choice("count_preference", of: Preference.self) else {
      throw .missing("count_preference")
    }
    let command = GroupCommand.changeOwn(.prefer(preference.value))
    try call.perform(command, onBehalfOf: try call.userID, completion) { _, result in
      completion(result.flatMap(\.own)) { $0.encodePreference(into: &$1) }
    }
  }
}

extension PlatformCall {
  /// Reads the own part of the user in the path in the group in the path.
  func viewOwnMembership(
    _ completion: Completion,
    _ encode: @escaping @Sendable (OwnMembership, inout JSONWriter) -> Void
  ) throws(ServiceError) {
    let command = GroupCommand.view(memberLimit: 0)
    try perform(command, onBehalfOf: try userID, completion) { channel, result in
      let own = result.flatMap { answer -> Result<OwnMembership, ServiceError> in
        guard case .group(let group) = answer, let own = group.own else {
          return .failure(.notJoined(channel.url))
        }
        return .success(own)
      }
      completion(own, encode)
    }
  }
}

extension OwnMembership {
  fileprivate func encodePreference(into writer: inout JSONWriter) {
    writer.object { $0.member("count_preference", countPreference.platformName) }
  }
}
