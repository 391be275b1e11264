/// A documented member of a request that asks for a feature the server does not have.
///
/// The member is refused, because a caller that relies on it would be misled. A member without an effect
/// (false, 0 or empty) is accepted.
package struct UnsupportedMember: Sendable, Hashable {
  package let name: String
  /// The fact or the remedy that the error message contains.
  package let reason: String

  package init(_ name: String, _ reason: String) {
    self.name = name
    self.reason = reason
  }
}

extension UnsupportedMember {
  /// The unsupported members of a new message.
  ///
  /// Members about read messages are accepted, because in the documented API they have no effect in open
  /// channels either.
  package static let ofMessages = [
    UnsupportedMember("poll_id", "there are no polls"),
    UnsupportedMember("parent_message_id", "there are no threads"),
    UnsupportedMember("is_reply_to_channel", "there are no threads"),
    UnsupportedMember("files", "a message has one file: send one message for each"),
    UnsupportedMember(
      "thumbnails", "give 'thumbnail1' to 'thumbnail3', or 'thumbnail_sizes' with the file itself"),
  ]

  /// The unsupported member of a new message in an open channel.
  package static let silence = UnsupportedMember("is_silent", "only groups have silent messages")

  /// The unsupported members of a change to a message.
  package static let ofMessageChanges = [
    UnsupportedMember("url", "the file of a message does not change")
  ]

  /// The unsupported members of an invitation.
  package static let ofInvitations = [
    UnsupportedMember(
      "invitation_status", "'auto_accept' of each user decides whether it joins at once"),
    UnsupportedMember("hidden_status", "groups cannot be hidden"),
  ]

  /// The unsupported members of a new group.
  package static let ofGroups =
    ofInvitations + [
      UnsupportedMember("block_sdk_user_channel_join", "users can always join public groups")
    ]

  /// The unsupported members of a change to a group.
  package static let ofGroupChanges = [
    UnsupportedMember("is_distinct", "only a new group can be made distinct"),
    UnsupportedMember("is_super", "only a new group can be made super"),
  ]

  /// The unsupported members of a user.
  package static let ofUsers = [
    UnsupportedMember("discovery_keys", "users are found by 'user_id' and 'nickname'"),
    UnsupportedMember(
      "preferred_languages", "messages are translated into their 'translation_target_langs'"),
    UnsupportedMember("issue_session_token", "call the path '…/token' of the user"),
    UnsupportedMember("require_auth_for_profile_image", "pictures of users are public"),
  ]
}

extension Fields {
  /// Refuses members that ask for features the server does not have.
  ///
  /// - Throws: 400111, which names the member.
  package func refuse(_ members: [UnsupportedMember]) throws(ServiceError) {
    for member in members where asks(for: member.name) { throw .unsupported(member) }
  }

  /// Whether a member has a value other than false, 0 or an empty one.
  func asks(for name: String) -> Bool { value(name).map { !$0.isVoid } ?? false }
}

extension FieldValue {
  /// Whether the value has no effect: it is false, 0 or empty.
  fileprivate var isVoid: Bool {
    switch self {
    case .json(let node): node.isVoid
    case .text(let text): text.isVoid
    case .texts(let texts): texts.allSatisfy(\.isVoid)
    }
  }
}

extension JSONNode {
  fileprivate var isVoid: Bool {
    switch kind {
    case .null: true
    case .bool: bool == false
    case .number: number == 0
    case .string: string?.isEmpty == true
    case .array: elements.first { _ in true } == nil
    case .object: members.first { _ in true } == nil
    }
  }
}

extension String {
  fileprivate var isVoid: Bool { ["", "false", "0", "[]", "{}"].contains(lowercased()) }
}
