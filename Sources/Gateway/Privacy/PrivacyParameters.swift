import ParleyProtocol
import Store

/// The parameters of a privacy request.
struct PrivacyParameters: Sendable, Hashable {
  enum Action: String, Sendable, CaseIterable {
    /// Users are erased.
    case delete
    /// All that names users is written to a file.
    case access
  }

  /// The groups that are deleted together with their members.
  enum ChannelDeletion: String, Sendable, CaseIterable {
    case none = "do_not_delete"
    /// Groups of two members.
    case pairs = "1_on_1"
    case all
  }

  /// Users that one request names.
  static let userLimit = 100

  var action: Action
  var userIDs: [String]
  var messages = UserRemainsErasure.Messages.remove
  var channels = ChannelDeletion.none

  /// - Throws: The errors of types, sizes and missing members.
  init(_ body: Fields) throws(ServiceError) {
    guard let action = try body.choice("action", of: Action.self) else { throw .missing("action") }
    self.action = action
    userIDs = try body.userIDs("user_ids", limit: Self.userLimit) ?? []
    // The documented API names the one user of an archive like this.
    let userID = try body.optionalUserID("user_id")
    if action == .access, userIDs.isEmpty, let userID { userIDs = [userID] }
    messages = try body.choice("messages", of: UserRemainsErasure.Messages.self) ?? .remove
    channels = try body.choice("channel_delete_option", of: ChannelDeletion.self) ?? .none
    guard !userIDs.isEmpty else { throw .missing("user_ids") }
  }

  /// The parameters of a stored request.
  ///
  /// - Parameter params: From ``json``.
  init?(params: String) {
    guard let fields = try? Fields(body: Array(params.utf8)),
      let parameters = try? PrivacyParameters(fields)
    else { return nil }
    self = parameters
  }

  /// The form in the store, without the action.
  var json: String {
    let bytes = JSONWriter.bytes {
      $0.object {
        $0.member("action", action.rawValue)
        $0.member("user_ids", userIDs)
        guard action == .delete else { return }
        $0.member("messages", messages.rawValue)
        $0.member("channel_delete_option", channels.rawValue)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
