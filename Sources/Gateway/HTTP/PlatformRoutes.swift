import Store
import ParleyProtocol
import Transport

/// The paths of the Platform API.
enum PlatformRoutes {
  static let all =
    openChannels + groups + groupsOfUsers + ChannelKind.allCases.flatMap(channels) + users
    + takingForms + forms + metadata + limits + operation + previews + translation + files
    + apiTokens + webhooks + hooks + pushes + reports + wordFilters + search + data

  static func route(
    _ method: String, _ pattern: PathPattern, query: QueryPolicy = .only([]),
    body: BodyPolicy = .none, available availability: Routes.Availability = .whileServing,
    for role: APITokenRole? = nil, _ endpoint: @escaping PlatformEndpoint
  ) -> Routes.Route {
    Routes.Route(
      [method], pattern, access: .platform(availability, role ?? self.role(for: method)),
      query: query, body: body, .platform(endpoint))
  }

  /// The role that calls of a method need, unless a route says otherwise.
  private static func role(for method: String) -> APITokenRole {
    method == "GET" ? .viewer : .admin
  }

  /// A route whose endpoint runs where the channel in the path is at home.
  static func channelRoute(
    _ method: String, _ pattern: PathPattern, query: QueryPolicy = .only([]),
    body: BodyPolicy = .none, for role: APITokenRole? = nil,
    _ endpoint: @escaping PlatformEndpoint
  ) -> Routes.Route {
    Routes.Route(
      [method], pattern, access: .platform(.whileServing, role ?? self.role(for: method)),
      query: query, body: body, .channel(endpoint))
  }

  /// The query of a list: its filters, and the size and place of a page.
  ///
  /// - Parameter withoutEffect: Parameters of the documented API that select nothing here.
  static func list(_ filters: String..., withoutEffect: [String] = []) -> QueryPolicy {
    list(filters, withoutEffect: withoutEffect)
  }

  static func list(_ filters: [String], withoutEffect: [String]) -> QueryPolicy {
    .only(filters + ["limit", "token"], withoutEffect: withoutEffect)
  }

  /// The owner of the picture that a form of a route gives; `nil` where a form sends a message.
  static func pictureHolder(of route: Routes.Route) -> PictureForm.Holder? {
    switch route.pattern {
    case "/v3/open_channels", "/v3/open_channels/{channel_url}",
      "/v3/group_channels", "/v3/group_channels/{channel_url}",
      "/v3/parley/forms/open_channels", "/v3/parley/forms/open_channels/{channel_url}",
      "/v3/parley/forms/group_channels", "/v3/parley/forms/group_channels/{channel_url}":
      .channel
    case "/v3/users", "/v3/users/{user_id}", "/v3/parley/forms/users",
      "/v3/parley/forms/users/{user_id}":
      .user
    default: nil
    }
  }

  static let json = BodyPolicy.whole()
  private static let openChannel = channel(.open)
  private static let group = channel(.group)

  /// The path of a channel.
  private static func channel(_ kind: ChannelKind) -> String {
    "/v3/\(kind.rawValue)/{channel_url}"
  }

  /// The calls whose body may be a form.
  private static let takingForms =
    [
      route("POST", "/v3/open_channels", body: .wholeOrForm, ChannelEndpoints.create),
      channelRoute("PUT", "\(openChannel)", body: .wholeOrForm, ChannelEndpoints.update),
      route("POST", "/v3/group_channels", body: .wholeOrForm, GroupEndpoints.create),
      channelRoute("PUT", "\(group)", body: .wholeOrForm, GroupEndpoints.update),
      route("POST", "/v3/users", body: .wholeOrForm, UserEndpoints.create),
      route("PUT", "\(user)", body: .wholeOrForm, UserEndpoints.update),
    ]
    + ChannelKind.allCases.map { kind in
      // A moderator sends admin messages only, which the endpoint checks.
      route(
        "POST", "\(channel(kind))/messages", body: .wholeOrForm, for: .moderator,
        MessageEndpoints.send)
    }

  /// The same routes under separate paths: generated clients expect one kind of body per path.
  private static let forms = takingForms.map { route in
    Routes.Route(
      route.methods, "/v3/parley/forms\(String(route.pattern.description.dropFirst("/v3".count)))",
      access: .platform(.whileServing, .admin), query: route.query, body: route.body,
      route.endpoint)
  }

  private static let openChannels = [
    route(
      "GET", "/v3/open_channels",
      query: list(
        "name_contains", "url_contains", "custom_types", "channel_urls", "show_frozen", "frozen",
        withoutEffect: ["show_metadata"]), ChannelEndpoints.list),
    channelRoute(
      "GET", "\(openChannel)", query: .only([], withoutEffect: ["include_operators"]),
      ChannelEndpoints.view),
    channelRoute("DELETE", "\(openChannel)", ChannelEndpoints.delete),
    channelRoute(
      "GET", "\(openChannel)/participants", query: list(), ChannelEndpoints.listParticipants),
  ]

  private static let groups = [
    channelRoute(
      "GET", "\(group)",
      query: .only([
        "show_member", "show_read_receipt", "show_delivery_receipt", "member_active_mode",
        "user_id",
      ]),
      GroupEndpoints.view),
    channelRoute("DELETE", "\(group)", GroupEndpoints.delete),
    channelRoute("POST", "\(group)/invite", body: json, MemberEndpoints.invite),
    channelRoute("PUT", "\(group)/accept", body: json, MemberEndpoints.accept),
    channelRoute("PUT", "\(group)/decline", body: json, MemberEndpoints.decline),
    channelRoute("PUT", "\(group)/join", body: json, MemberEndpoints.join),
    channelRoute("PUT", "\(group)/leave", body: json, MemberEndpoints.leave),
    channelRoute(
      "GET", "\(group)/members",
      query: list(
        "member_state_filter", "operator_filter", "member_active_mode_filter", "show_read_receipt",
        "show_delivery_receipt", "user_id", "include_push_preference",
        // It is always shown.
        withoutEffect: ["show_member_is_muted"]),
      MemberEndpoints.list),
    channelRoute("GET", "\(group)/members/{user_id}", MemberEndpoints.view),
    channelRoute("PUT", "\(group)/hide", body: json, OwnGroupEndpoints.hide),
    channelRoute(
      "DELETE", "\(group)/hide", query: .only(["user_id", "should_unhide_all"]),
      OwnGroupEndpoints.unhide),
    channelRoute(
      "PUT", "\(group)/reset_user_history", body: json, OwnGroupEndpoints.resetHistory),
    channelRoute("POST", "\(group)/typing", body: json, TypingEndpoints.start),
    channelRoute("DELETE", "\(group)/typing", body: json, TypingEndpoints.stop),
    channelRoute("PUT", "\(group)/messages/mark_as_read", body: json, OwnGroupEndpoints.markRead),
    channelRoute(
      "GET", "\(group)/messages/unread_count", query: .only(["user_ids"]),
      OwnGroupEndpoints.unreadCounts),
    route(
      "GET", "/v3/group_channels",
      query: list(
        groupConditions + ["created_after", "created_before"], withoutEffect: partsOfGroups),
      GroupListEndpoints.list),
  ]

  private static let groupConditions = [
    "distinct_mode", "public_mode", "super_mode", "show_empty", "show_member", "show_frozen",
    "order", "custom_types", "custom_type_startswith", "channel_urls", "name_contains",
    "members_exactly_in", "members_include_in", "query_type", "members_nickname_contains",
  ]

  /// Lists show no receipts; metadata and extra data are always shown.
  private static let partsOfGroups = [
    "show_delivery_receipt", "show_read_receipt", "show_metadata",
    "include_sorted_metaarray_in_last_message",
  ]

  /// Groups of a user, and the numbers of messages in them that it has not read.
  private static let groupsOfUsers = [
    route(
      "GET", "\(user)/my_group_channels",
      query: list(
        groupConditions + ["hidden_mode", "unread_filter", "member_state_filter"],
        withoutEffect: partsOfGroups),
      GroupListEndpoints.listOwn),
    route(
      "GET", "\(user)/my_group_channels/changelogs",
      query: list(
        "change_ts",
        withoutEffect: partsOfGroups + ["show_member", "show_empty", "show_frozen"]),
      GroupListEndpoints.listChanges),
    route("PUT", "\(user)/mark_as_read_all", body: json, UserGroupEndpoints.markRead),
    route(
      "GET", "\(user)/unread_message_count", query: .only(["custom_types", "super_mode"]),
      UserGroupEndpoints.messageCount),
    route(
      "GET", "\(user)/unread_channel_count", query: .only(["custom_types", "super_mode"]),
      UserGroupEndpoints.channelCount),
    route(
      "GET", "\(user)/unread_item_count", query: .only(["item_keys"]),
      UserGroupEndpoints.itemCounts),
    channelRoute("GET", "\(user)/count_preference/{channel_url}", CountPreferenceEndpoints.view),
    channelRoute(
      "PUT", "\(user)/count_preference/{channel_url}", body: json,
      CountPreferenceEndpoints.update),
  ]

  /// Parameters of the documented API that request parts of a message: here it always has them all.
  private static let partsOfMessages = [
    "with_sorted_meta_array", "include_reactions", "include_thread_info",
    "include_parent_message_info", "include_poll_details",
  ]

  /// Threads, subchannels and removed messages do not exist here.
  private static let messageList = QueryPolicy.only(
    [
      "message_ts", "message_id", "prev_limit", "next_limit", "include", "reverse", "sender_id",
      "sender_ids", "operator_filter", "message_type", "custom_types",
      "mentioned_user_id", "has_file", "has_link", "updated_since", "from_ts", "to_ts",
    ],
    withoutEffect: partsOfMessages
      + ["include_reply_type", "including_removed", "show_subchannel_messages_only"])

  /// The calls that both kinds of channels have.
  private static func channels(_ kind: ChannelKind) -> [Routes.Route] {
    let channel = channel(kind)
    return [
      channelRoute(
        "PUT", "\(channel)/freeze", body: json, for: .moderator, ChannelEndpoints.freeze),
      channelRoute("POST", "\(channel)/operators", body: json, OperatorEndpoints.add),
      channelRoute("GET", "\(channel)/operators", query: list(), OperatorEndpoints.list),
      channelRoute(
        "DELETE", "\(channel)/operators", query: .only(["operator_ids", "delete_all"]),
        OperatorEndpoints.remove),
    ] + moderation(channel) + messages(channel) + metacounters(kind)
  }

  private static func moderation(_ channel: String) -> [Routes.Route] {
    [
      channelRoute("POST", "\(channel)/ban", body: json, for: .moderator, ModerationEndpoints.ban),
      channelRoute("GET", "\(channel)/ban", query: list(), ModerationEndpoints.listBans),
      channelRoute("GET", "\(channel)/ban/{user_id}", ModerationEndpoints.viewBan),
      channelRoute(
        "PUT", "\(channel)/ban/{user_id}", body: json, for: .moderator,
        ModerationEndpoints.updateBan),
      channelRoute(
        "DELETE", "\(channel)/ban/{user_id}", for: .moderator, ModerationEndpoints.unban),
      channelRoute(
        "POST", "\(channel)/mute", body: json, for: .moderator, ModerationEndpoints.mute),
      channelRoute("GET", "\(channel)/mute", query: list(), ModerationEndpoints.listMutes),
      channelRoute("GET", "\(channel)/mute/{user_id}", ModerationEndpoints.viewMute),
      channelRoute(
        "DELETE", "\(channel)/mute/{user_id}", for: .moderator, ModerationEndpoints.unmute),
    ]
  }

  private static func messages(_ channel: String) -> [Routes.Route] {
    let message = channel + "/messages/{message_id:number}"
    return [
      channelRoute("GET", "\(channel)/messages", query: messageList, MessageEndpoints.list),
      channelRoute("GET", "\(channel)/messages/total_count", MessageEndpoints.count),
      channelRoute(
        "GET", "\(message)", query: .only([], withoutEffect: partsOfMessages),
        MessageEndpoints.view),
      channelRoute("PUT", "\(message)", body: json, MessageEndpoints.update),
      channelRoute("DELETE", "\(message)", for: .moderator, MessageEndpoints.delete),
      channelRoute("POST", "\(message)/sorted_metaarray", body: json, MetaArrayEndpoints.create),
      channelRoute("PUT", "\(message)/sorted_metaarray", body: json, MetaArrayEndpoints.update),
      channelRoute(
        "DELETE", "\(message)/sorted_metaarray", query: .only(["keys"]),
        MetaArrayEndpoints.delete),
      channelRoute("POST", "\(message)/translation", body: json, MessageEndpoints.translate),
    ]
  }

  private static let user = "/v3/users/{user_id}"

  private static let users = [
    route(
      "GET", "/v3/users",
      query: list(
        "user_ids", "nickname", "nickname_startswith", "active_mode", withoutEffect: ["show_bot"]),
      UserEndpoints.list),
    // The parameters without effect are about unread messages of group channels.
    route(
      "GET", "\(user)",
      query: .only([], withoutEffect: ["include_unread_count", "custom_types", "super_mode"]),
      UserEndpoints.view),
    route("DELETE", "\(user)", UserEndpoints.delete),
    route("POST", "\(user)/token", body: json, SessionTokenEndpoints.issue),
    route("DELETE", "\(user)/token", SessionTokenEndpoints.revoke),
    route("POST", "\(user)/file_key", FileEncryptionEndpoints.giveKey),
    route("GET", "\(user)/channel_invitation_preference", InvitationPreferenceEndpoints.view),
    route(
      "PUT", "\(user)/channel_invitation_preference", body: json,
      InvitationPreferenceEndpoints.update),
    route("POST", "\(user)/block", body: json, BlockEndpoints.block),
    route("GET", "\(user)/block", query: list("list", "user_ids"), BlockEndpoints.list),
    route("DELETE", "\(user)/block/{target_id}", BlockEndpoints.unblock),
  ]

  private static let search = [
    route(
      "GET", "/v3/search/messages",
      query: list(
        "query", "channel_url", "user_id", "custom_type", "message_ts_from", "message_ts_to",
        "sort_field", "reverse", "exact_match", "after", withoutEffect: partsOfMessages),
      SearchEndpoints.search),
    route("GET", "/v3/parley/search", SearchEndpoints.view),
    route("GET", "/v3/parley/search/check", SearchEndpoints.check),
    route("POST", "/v3/parley/search/rebuild", SearchEndpoints.rebuild),
  ]

  private static let pushes = [
    route("POST", "\(user)/push/{token_type}", body: json, PushTokenEndpoints.add),
    route("GET", "\(user)/push/{token_type}", PushTokenEndpoints.list),
    route("DELETE", "\(user)/push/{token_type}/{token}", PushTokenEndpoints.remove),
    route("DELETE", "\(user)/push", PushTokenEndpoints.removeAll),
    route("PUT", "\(user)/push/template", body: json, PushPreferenceEndpoints.chooseTemplate),
    route("GET", "/v3/parley/push", PushOperationEndpoints.view),
    route("POST", "/v3/parley/push/test", body: json, PushOperationEndpoints.test),
    route(
      "GET", "/v3/parley/push/explain", query: .only(["user_id", "message_id"]),
      PushOperationEndpoints.explain),
    route("GET", "/v3/push/device_tokens/{token_type}/{token}", PushTokenEndpoints.owners),
    route(
      "DELETE", "/v3/push/device_tokens/{token_type}/{token}",
      PushTokenEndpoints.removeFromOwners),
    route("GET", "\(user)/push_preference", PushPreferenceEndpoints.view),
    route("PUT", "\(user)/push_preference", body: json, PushPreferenceEndpoints.update),
    route("DELETE", "\(user)/push_preference", PushPreferenceEndpoints.reset),
    channelRoute(
      "GET", "\(user)/push_preference/{channel_url}", PushPreferenceEndpoints.viewOfChannel),
    channelRoute(
      "PUT", "\(user)/push_preference/{channel_url}", body: json,
      PushPreferenceEndpoints.updateOfChannel),
  ]

  private static let metadata =
    ChannelKind.allCases.flatMap { kind in
      let endpoints = MetadataEndpoints { call throws(ServiceError) in
        .channel(try call.channelURL, kind)
      }
      return metadata(channel(kind), endpoints)
    }
    + metadata(
      user, MetadataEndpoints { call throws(ServiceError) in .user(try call.userID) })

  private static func metadata(_ path: String, _ endpoints: MetadataEndpoints) -> [Routes.Route] {
    [
      route("POST", "\(path)/metadata", body: json, endpoints.create),
      route("GET", "\(path)/metadata", query: .only(["key", "keys"]), endpoints.list),
      route("PUT", "\(path)/metadata", body: json, endpoints.update),
      route("DELETE", "\(path)/metadata", endpoints.delete),
      route("GET", "\(path)/metadata/{key}", endpoints.viewItem),
      route("PUT", "\(path)/metadata/{key}", body: json, endpoints.updateItem),
      route("DELETE", "\(path)/metadata/{key}", endpoints.deleteItem),
    ]
  }

  private static func metacounters(_ kind: ChannelKind) -> [Routes.Route] {
    let (channel, endpoints) = (channel(kind), MetacounterEndpoints(kind: kind))
    return [
      route("POST", "\(channel)/metacounter", body: json, endpoints.create),
      route("GET", "\(channel)/metacounter", query: .only(["key", "keys"]), endpoints.list),
      route("PUT", "\(channel)/metacounter", body: json, endpoints.update),
      route("DELETE", "\(channel)/metacounter", endpoints.delete),
      route("GET", "\(channel)/metacounter/{key}", endpoints.viewItem),
      route("PUT", "\(channel)/metacounter/{key}", body: json, endpoints.updateItem),
      route("DELETE", "\(channel)/metacounter/{key}", endpoints.deleteItem),
    ]
  }

  private static let limits =
    [
      ("/v3/parley/limits", LimitEndpoints.deployment),
      ("/v3/parley/limits/custom_types/{custom_type}", LimitEndpoints.customType),
    ].flatMap { (path: String, endpoints: LimitEndpoints) in
      [
        route("GET", "\(path)", endpoints.view),
        route("PUT", "\(path)", body: json, endpoints.set),
        route("DELETE", "\(path)", endpoints.remove),
      ]
    } + [
      channelRoute("GET", channelLimits, LimitEndpoints.channel.view),
      channelRoute("PUT", channelLimits, body: json, LimitEndpoints.channel.set),
      channelRoute("DELETE", channelLimits, LimitEndpoints.channel.remove),
      route(
        "GET", "/v3/parley/limits/explain", query: .only(["user_id", "channel_url"]),
        LimitExplanation.explain),
    ]

  private static let channelLimits: PathPattern = "/v3/parley/limits/channels/{channel_url}"

  private static let operation = [
    route(
      "GET", "/v3/parley/restrictions", query: list("kind", "user_id", "channel_url"),
      RestrictionEndpoints.list),
    route("GET", "/v3/parley/sessions", query: list("user_id"), SessionEndpoints.list),
    route("DELETE", "/v3/parley/sessions/{session_id}", SessionEndpoints.close),
    // It has the addresses of clients, and what each token did.
    route(
      "GET", "/v3/parley/audit", query: list("token_id", "path"), for: .admin, AuditEndpoints.list),
    route("GET", "/v3/parley/usage", query: .only(["user_id"]), UsageEndpoints.view),
    route("GET", "/v3/parley/connections", OperationEndpoints.countConnections),
    route("GET", "/v3/parley/status", available: .always, OperationEndpoints.viewStatus),
    route("POST", "/v3/parley/drain", available: .always, OperationEndpoints.drain),
    route("GET", "/v3/parley/metrics", available: .always, MetricEndpoints.view),
    route(
      "GET", "/v3/parley/metrics/history", query: .only(["names", "since"]), available: .always,
      MetricEndpoints.viewHistory),
    route("GET", "/v3/parley/settings", available: .always, SettingEndpoints.list),
    route(
      "GET", "/v3/parley/cluster", query: .only(["channel_url"]), available: .always,
      ClusterEndpoints.view),
    route(
      "GET", "/v3/parley/channels/busiest", query: .only(["limit"]), available: .always,
      BusiestChannelEndpoints.list),
    route(
      "POST", "/v3/parley/cluster/servers/{server_id}/drain", available: .always,
      ClusterEndpoints.drain),
  ]

  private static let previews = [
    route("GET", "/v3/parley/previews/explain", query: .only(["url"]), PreviewEndpoints.explain),
    route("POST", "/v3/parley/previews/fetch", body: json, PreviewEndpoints.fetch),
    route("GET", "/v3/parley/previews", query: list("url", "domain"), PreviewEndpoints.list),
    route(
      "DELETE", "/v3/parley/previews", query: .only(["url", "domain", "all"]),
      PreviewEndpoints.purge),
  ]

  private static let translation = [
    route("GET", "/v3/parley/translation/languages", TranslationEndpoints.listLanguages),
    route("POST", "/v3/parley/translation/test", body: json, TranslationEndpoints.test),
  ]

  private static let files = [
    route("GET", "/v3/parley/files", query: list("user_id", "channel_url"), FileEndpoints.list),
    route(
      "GET", "/v3/parley/files/usage", query: .only(["user_id"]), FileEndpoints.countUsage),
    route("GET", "/v3/parley/files/encryption", FileEncryptionEndpoints.view),
    route("POST", "/v3/parley/files/rotate_key", FileEncryptionEndpoints.rotate),
    route("POST", "/v3/parley/files/encrypt_all", FileEncryptionEndpoints.encryptAll),
    route("GET", "/v3/parley/files/{file_id}", FileEndpoints.view),
    route("DELETE", "/v3/parley/files/{file_id}", FileEndpoints.delete),
  ]

  private static let apiTokens = [
    route("POST", "/v3/parley/api_tokens", body: json, APITokenEndpoints.issue),
    route("GET", "/v3/parley/api_tokens", APITokenEndpoints.list),
    route("GET", "/v3/parley/api_tokens/me", APITokenEndpoints.viewOwn),
    route("DELETE", "/v3/parley/api_tokens/{api_token_id}", APITokenEndpoints.revoke),
    // An observer changes nothing.
    route("POST", "/v3/parley/tickets", for: .viewer, TicketEndpoints.issue),
  ]

  private static let reports =
    [
      route("GET", "/v3/report", query: list("start_ts", "end_ts", "state"), ReportEndpoints.list),
      route("POST", "/v3/report/users/{user_id}", body: json, ReportEndpoints.reportUser),
      route("GET", "/v3/report/users/{user_id}", query: list(), ReportEndpoints.listOfUser),
      route("GET", "/v3/parley/reports/{report_id:number}", ReportEndpoints.view),
      route(
        "PUT", "/v3/parley/reports/{report_id:number}", body: json, for: .moderator,
        ReportEndpoints.update),
    ] + ChannelKind.allCases.flatMap(reportsOfChannels)

  private static func reportsOfChannels(_ kind: ChannelKind) -> [Routes.Route] {
    let channel = "/v3/report/\(kind.rawValue)/{channel_url}"
    let endpoints = ChannelReportEndpoints(kind: kind)
    let message = channel + "/messages/{message_id:number}"
    return [
      route("POST", "\(channel)", body: json, endpoints.report),
      route("GET", "\(channel)", query: list(), endpoints.list),
      route("POST", "\(message)", body: json, endpoints.reportMessage),
      route("GET", "\(message)", query: list(), endpoints.listOfMessage),
    ]
  }

  private static let wordFilters = [
    route("GET", "/v3/applications/settings_global", WordFilterEndpoints.deployment.view),
    route(
      "PUT", "/v3/applications/settings_global", body: json, WordFilterEndpoints.deployment.set),
    route("GET", filterOfType, WordFilterEndpoints.customType.view),
    route("PUT", filterOfType, body: json, WordFilterEndpoints.customType.set),
    route("DELETE", filterOfType, WordFilterEndpoints.customType.remove),
  ]

  private static let filterOfType: PathPattern =
    "/v3/applications/settings_by_channel_custom_type/{custom_type}"

  private static let hooks = [
    route("GET", "/v3/parley/hooks", HookEndpoints.list),
    route("POST", "/v3/parley/hooks/test", HookEndpoints.test),
  ]

  private static let webhooks = [
    route("GET", "/v3/parley/webhooks", WebhookEndpoints.list),
    route("POST", "/v3/parley/webhooks/test", WebhookEndpoints.test),
    route("POST", "/v3/parley/webhooks/retry", WebhookEndpoints.retry),
  ]
}
