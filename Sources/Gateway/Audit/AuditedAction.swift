import ParleyProtocol

/// The parts of a kind of call that the audit log shows besides its path and object.
///
/// Only the members named here are copied from bodies and answers: texts, metadata, extra data,
/// picture addresses and secrets are not.
struct AuditedAction: Sendable {
  /// The kind of object whose state is read before the call.
  enum Object: Sendable, Hashable {
    case limits
    case channelLimits
    case channel
    case user
    case ban
    case mute
    case counters(ChannelKind)
    case apiToken
    case masterKey
  }

  /// Members of bodies and answers whose values are recorded.
  let values: [String]
  /// Members of the former state whose values are recorded.
  let formerValues: [String]
  let object: Object?

  /// - Parameter formerValues: `nil` for the same as `values`.
  private init(
    _ values: [String] = [], before object: Object? = nil, showing formerValues: [String]? = nil
  ) {
    self.values = values
    self.object = object
    self.formerValues = object == nil ? [] : formerValues ?? values
  }

  /// Finds the action of a path; `nil` for a path without calls that change something.
  init?(ofPath pattern: String) {
    let forms = "/v3/parley/forms/"
    let pattern = pattern.hasPrefix(forms) ? "/v3/" + pattern.dropFirst(forms.count) : pattern
    guard let action = Self.table[pattern] else { return nil }
    self = action
  }

  private static let plain = AuditedAction()
  private static let limits = ["flood", "throttle"]
  private static let channelValues = [
    "name", "custom_type", "is_ephemeral", "freeze", "operator_ids", "message_survival_seconds",
  ]
  private static let groupValues =
    channelValues + ["is_distinct", "is_public", "is_super", "inviter_id"]
  private static let userValues = ["nickname", "is_active", "issue_access_token"]
  private static let restriction = ["seconds", "start_at", "end_at"]

  /// Of a filter only its type is an integer, so its words are left out.
  private static let wordFilter = AuditedAction(["profanity_filter"])
  private static let report = AuditedAction(["report_category", "reporting_user_id"])

  private static let group = "/v3/group_channels/{channel_url}"
  private static let user = "/v3/users/{user_id}"

  /// The actions of both kinds of channels, by the path of their route.
  private static func channels(_ kind: ChannelKind) -> [String: AuditedAction] {
    let channel = "/v3/\(kind.rawValue)/{channel_url}"
    let message = channel + "/messages/{message_id}"
    let counters = AuditedAction(["metacounter", "mode"], before: .counters(kind))
    return [
      channel + "/freeze": AuditedAction(["freeze"], before: .channel),
      channel + "/operators": AuditedAction(before: .channel, showing: ["operator_ids"]),
      channel + "/ban": AuditedAction(restriction, before: .ban),
      channel + "/ban/{user_id}": AuditedAction(restriction, before: .ban),
      channel + "/mute": AuditedAction(restriction, before: .mute),
      channel + "/mute/{user_id}": AuditedAction(restriction, before: .mute),
      channel + "/messages": AuditedAction(["message_type", "custom_type"]),
      message: plain,
      message + "/sorted_metaarray": plain,
      message + "/translation": AuditedAction(["target_langs"]),
      "/v3/report/\(kind.rawValue)/{channel_url}": report,
      "/v3/report/\(kind.rawValue)/{channel_url}/messages/{message_id}": report,
      channel + "/metadata": plain,
      channel + "/metadata/{key}": plain,
      channel + "/metacounter": counters,
      channel + "/metacounter/{key}": counters,
    ]
  }

  /// The actions by the path of their route.
  private static let table = ChannelKind.allCases.reduce(into: others) { table, kind in
    table.merge(channels(kind)) { first, _ in first }
  }

  private static let others: [String: AuditedAction] = [
    "/v3/open_channels": AuditedAction(channelValues),
    "/v3/open_channels/{channel_url}": AuditedAction(channelValues, before: .channel),
    "/v3/group_channels": AuditedAction(groupValues),
    group: AuditedAction(groupValues, before: .channel),
    group + "/invite": AuditedAction(["inviter_id"]),
    group + "/accept": plain,
    group + "/decline": plain,
    group + "/join": plain,
    group + "/leave": AuditedAction(["should_leave_all", "should_remove_operator_status"]),
    group + "/hide": AuditedAction([
      "allow_auto_unhide", "hide_previous_messages", "should_hide_all",
    ]),
    group + "/reset_user_history": AuditedAction(["reset_all"]),
    group + "/typing": plain,
    group + "/messages/mark_as_read": AuditedAction(["timestamp"]),
    user + "/mark_as_read_all": plain,
    user + "/count_preference/{channel_url}": AuditedAction(["count_preference"]),
    "/v3/migration/{channel_url}": AuditedAction(["update_read_ts", "rewind_read_ts"]),
    "/v3/users": AuditedAction(userValues),
    user: AuditedAction(userValues, before: .user),
    user + "/token": AuditedAction(["expires_at"]),
    user + "/file_key": AuditedAction(["expires_at"]),
    user + "/channel_invitation_preference": AuditedAction(["auto_accept"]),
    user + "/push": plain,
    user + "/push/template": AuditedAction(["name"]),
    user + "/push/{token_type}": plain,
    user + "/push/{token_type}/{token}": plain,
    user + "/push_preference": plain,
    user + "/push_preference/{channel_url}": AuditedAction(["push_trigger_option"]),
    "/v3/push/device_tokens/{token_type}/{token}": plain,
    "/v3/parley/push/test": AuditedAction(["user_id"]),
    user + "/block": AuditedAction(["target_id"]),
    user + "/block/{target_id}": plain,
    user + "/metadata": plain,
    user + "/metadata/{key}": plain,
    "/v3/parley/limits": AuditedAction(limits, before: .limits),
    "/v3/parley/limits/custom_types/{custom_type}": AuditedAction(limits, before: .limits),
    "/v3/parley/limits/channels/{channel_url}": AuditedAction(limits, before: .channelLimits),
    "/v3/parley/channels/{channel_url}/retention": AuditedAction(["message_survival_seconds"]),
    "/v3/parley/channels/{channel_url}/hold": AuditedAction(["on"]),
    "/v3/parley/api_tokens": AuditedAction(["name", "role", "expires_at"]),
    "/v3/parley/api_tokens/{api_token_id}": AuditedAction(
      ["name", "role", "expires_at"], before: .apiToken),
    "/v3/parley/tickets": AuditedAction(["expires_at"]),
    "/v3/parley/sessions/{session_id}": AuditedAction(["user_id"]),
    "/v3/parley/drain": plain,
    "/v3/parley/cluster/servers/{server_id}/drain": plain,
    "/v3/parley/previews": AuditedAction(["purged"]),
    "/v3/parley/previews/fetch": plain,
    "/v3/parley/translation/test": AuditedAction(["target_langs"]),
    "/v3/parley/files/{file_id}": plain,
    "/v3/parley/files/rotate_key": AuditedAction(["key_id"], before: .masterKey),
    "/v3/parley/files/encrypt_all": AuditedAction(["mode"]),
    "/v3/applications/settings_global": wordFilter,
    "/v3/applications/settings_by_channel_custom_type/{custom_type}": wordFilter,
    "/v3/report/users/{user_id}": report,
    "/v3/parley/reports/{report_id}": AuditedAction(["state"]),
    "/v3/privacy/gdpr": AuditedAction(["action", "messages", "channel_delete_option"]),
    "/v3/privacy/gdpr/{request_id}": plain,
    "/v3/export/{data_type}": AuditedAction(["start_ts", "end_ts", "format"]),
    "/v3/parley/hooks/test": plain,
    "/v3/parley/search/rebuild": plain,
    "/v3/parley/webhooks/test": plain,
    "/v3/parley/webhooks/retry": plain,
  ]
}
