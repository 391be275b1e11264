internal import Basics

/// Refusals that depend on stored data, connections or earlier requests.
extension ServiceError {
  /// A kind of resource that a request may refer to.
  package enum Resource: String, Sendable {
    case user
    case channel
    case message
    case token = "access token"
    case apiToken = "API token"
    case ban
    case mute
    case metadata = "metadata key"
    case metacounter = "metacounter key"
    case file
    case report
    case request

    var field: String {
      switch self {
      case .user: "user_id"
      case .channel: "channel_url"
      case .message: "message_id"
      case .token: "token"
      case .apiToken: "id"
      case .ban, .mute: "user_id"
      case .metadata, .metacounter: "key"
      case .file: "file_id"
      case .report: "report_id"
      case .request: "request_id"
      }
    }
  }

  /// The resource does not exist.
  package static func notFound(_ resource: Resource, _ id: String) -> ServiceError {
    ServiceError(
      .notFound, "there is no \(resource.rawValue) \(DisplayText.excerpt(id))",
      field: resource.field)
  }

  /// The message does not exist.
  package static func notFound(messageID: Int64) -> ServiceError {
    ServiceError(.notFound, "there is no message \(messageID)", field: "message_id")
  }

  /// An ephemeral channel stores no messages that could be listed, fetched or changed.
  package static func notKept(inEphemeralChannel url: String) -> ServiceError {
    ServiceError(
      .notFound, "the channel \(DisplayText.excerpt(url)) is ephemeral and keeps no messages",
      field: "channel_url")
  }

  /// A resource with that name already exists.
  package static func exists(_ resource: Resource, _ id: String) -> ServiceError {
    ServiceError(
      .alreadyExists, "the \(resource.rawValue) \(DisplayText.excerpt(id)) exists already",
      field: resource.field)
  }

  /// An API token with that name already exists.
  package static func apiTokenExists(_ name: String) -> ServiceError {
    ServiceError(
      .alreadyExists, "there is an API token of the name \(DisplayText.excerpt(name)) already",
      field: "name")
  }

  /// There is no HTTP endpoint at that path, or not for that method.
  package static func noSuchEndpoint(_ method: String, _ path: String) -> ServiceError {
    ServiceError(
      .noSuchEndpoint, "there is no endpoint \(DisplayText.excerpt("\(method) \(path)", limit: 80))"
    )
  }

  /// The user is not allowed to do this; `reason` names the users that are.
  package static func notAllowed(_ reason: String) -> ServiceError {
    ServiceError(.notAllowed, reason)
  }

  /// A legal hold keeps all messages of the channel as they are.
  package static func held(_ url: String) -> ServiceError {
    ServiceError(
      .notAllowed,
      "a legal hold keeps the channel \(DisplayText.excerpt(url)) and its messages as they are",
      data: ErrorDetails(field: "channel_url", reason: heldReason))
  }

  private static let heldReason = "held"

  /// Whether a legal hold refused the call.
  package var isOfHold: Bool { code == .notAllowed && data.reason == Self.heldReason }

  /// The user has reached the maximum number of channels.
  package static func tooManyChannels(limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems, "a user may be in \(limit) channels at once",
      data: ErrorDetails(limit: Int64(limit), scope: "user"))
  }

  /// The user has joined the maximum number of groups.
  package static func tooManyGroups(limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems, "a user may have joined \(limit) groups at once: leave one",
      data: ErrorDetails(limit: Int64(limit), scope: "user"))
  }

  /// The user has the maximum number of open invitations.
  package static func tooManyInvitations(of userID: String, limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems, "the user \"\(userID)\" has \(limit) invitations that it has not answered",
      data: ErrorDetails(limit: Int64(limit), scope: "user"))
  }

  /// A file is in messages of the maximum number of channels.
  package static func tooManyFileChannels(limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems,
      "a file may be in messages of \(limit) channels at once: upload it again for more",
      data: ErrorDetails(field: "file_id", limit: Int64(limit), scope: "file"))
  }

  /// A server has the maximum number of observers of a channel.
  package static func tooManyObservers(limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems, "a channel may have \(limit) observers on a server",
      data: ErrorDetails(limit: Int64(limit), scope: "channel"))
  }

  /// A channel has the maximum number of bans or mutes.
  ///
  /// - Parameter noun: "bans" or "mutes".
  package static func tooManyRestrictions(_ noun: String, limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems, "a channel may have \(limit) \(noun) at once: lift one",
      data: ErrorDetails(limit: Int64(limit), scope: "channel"))
  }

  /// A user has the maximum number of open reports.
  package static func tooManyOpenReports(limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems, "a user may have \(limit) reports that moderators have not decided",
      data: ErrorDetails(limit: Int64(limit), scope: "user"))
  }

  /// The deployment has the maximum number of reports, and all of them are open.
  package static func tooManyReports(limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems,
      "there are \(limit) open reports, and no room for another: moderators must close some first",
      data: ErrorDetails(limit: Int64(limit), scope: "deployment"))
  }

  /// A report cannot be opened again, because its reporter has repeated it.
  package static func reportedAgain(_ id: Int64) -> ServiceError {
    ServiceError(
      .alreadyExists,
      "the reporter of report \(id) has made another one about the same thing, which is open",
      field: "state")
  }

  /// An observer has the maximum number of channels.
  package static func tooManyObservedChannels(limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems, "an observer may hear \(limit) channels at once",
      data: ErrorDetails(limit: Int64(limit), scope: "session"))
  }

  /// A page token is invalid.
  package static let pageTokenExpired = ServiceError(
    .pageTokenExpired, "the page token is invalid: start with the first page",
    field: "token")

  /// The user is deactivated.
  package static func deactivated(_ userID: String) -> ServiceError {
    ServiceError(
      .userDeactivated, "the user \(DisplayText.excerpt(userID)) is deactivated", field: "user_id")
  }

  /// The access token is missing, invalid, expired or revoked, as described in `reason`.
  package static func accessToken(_ reason: String) -> ServiceError {
    ServiceError(.invalidAccessToken, reason, field: "access_token")
  }

  /// The keys that verify the access token are not there at the moment; milliseconds.
  package static func noTokenKeys(retryAfter: Int64) -> ServiceError {
    ServiceError(
      .internalError,
      "the keys of the access token's issuer are not available: try again in \(retryAfter) ms",
      data: ErrorDetails(retryAfterMilliseconds: retryAfter, reason: "keys"))
  }

  /// The sender is not in the channel.
  package static func notInChannel(_ url: String) -> ServiceError {
    ServiceError(
      .notInChannel, "enter the channel \(DisplayText.excerpt(url)) first", field: "channel_url")
  }

  /// The sender is not a joined member of the group.
  package static func notJoined(_ url: String) -> ServiceError {
    ServiceError(
      .notInChannel, "join the group \(DisplayText.excerpt(url)) first", field: "channel_url")
  }

  /// The group has more members than a group with read receipts may have.
  package static func noReceipts(_ url: String, limit: Int) -> ServiceError {
    ServiceError(
      .combinationNotAcceptable,
      "\(DisplayText.excerpt(url)) has more than \(limit) members, and no read receipts",
      field: "channel_url")
  }

  /// The deployment or the group has no delivery receipts.
  package static func noDeliveryReceipts(_ url: String) -> ServiceError {
    ServiceError(
      .combinationNotAcceptable, "\(DisplayText.excerpt(url)) has no delivery receipts",
      field: "channel_url")
  }

  /// The call is for another kind of channel.
  ///
  /// - Parameter kind: The kind of the channel.
  package static func wrongKind(_ url: String, _ kind: ChannelKind) -> ServiceError {
    let noun =
      switch kind {
      case .open: "an open channel"
      case .group: "a group channel"
      }
    return ServiceError(
      .combinationNotAcceptable,
      "\(DisplayText.excerpt(url)) is \(noun), for which there is another call",
      field: "channel_url")
  }

  /// The group has no invitation of the user.
  package static func notInvited(_ url: String) -> ServiceError {
    ServiceError(
      .combinationNotAcceptable,
      "the user has no open invitation to the group \(DisplayText.excerpt(url))",
      field: "channel_url")
  }

  /// The group would have too many members.
  package static func tooManyMembers(limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems, "a group may have \(limit) members, joined and invited",
      data: ErrorDetails(field: "user_ids", limit: Int64(limit), scope: "channel"))
  }

  /// The user is banned from the channel.
  package static func banned(_ url: String) -> ServiceError {
    ServiceError(
      .banned, "the user is banned from the channel \(DisplayText.excerpt(url))",
      field: "channel_url")
  }

  /// The user is muted in the channel.
  package static func muted(_ url: String) -> ServiceError {
    ServiceError(
      .muted, "the user is muted in the channel \(DisplayText.excerpt(url))", field: "channel_url")
  }

  /// The channel is frozen.
  package static func frozen(_ url: String) -> ServiceError {
    ServiceError(
      .frozen, "the channel \(DisplayText.excerpt(url)) is frozen: only operators may send",
      field: "channel_url")
  }

  /// The word filter of the channel refuses a text.
  package static let filtered = ServiceError(
    .filtered, "the text contains a word that is not allowed in the channel", field: "message")

  /// Spam-flood protection refused a message.
  ///
  /// - Parameters:
  ///   - retryAfter: Milliseconds until the same message would be accepted.
  ///   - limit: The number of messages accepted in a window.
  ///   - window: The length of the window in milliseconds.
  package static func flood(retryAfter: Int64, limit: Int, window: Int64) -> ServiceError {
    ServiceError(
      .flood, "more than \(limit) messages in \(window) ms: try again in \(retryAfter) ms",
      data: ErrorDetails(
        retryAfterMilliseconds: retryAfter, limit: Int64(limit), windowMilliseconds: window,
        scope: "user_channel"))
  }

  /// Spam-flood protection refused a message because of the user's messages to all channels; parameters
  /// as for a message.
  package static func userFlood(retryAfter: Int64, limit: Int, window: Int64) -> ServiceError {
    ServiceError(
      .flood,
      "more than \(limit) messages in \(window) ms over all channels: try again in \(retryAfter) ms",
      data: ErrorDetails(
        retryAfterMilliseconds: retryAfter, limit: Int64(limit), windowMilliseconds: window,
        scope: "user"))
  }

  /// Spam-flood protection refused a change of a message or channel; parameters as for a message.
  package static func changeFlood(retryAfter: Int64, limit: Int, window: Int64) -> ServiceError {
    ServiceError(
      .flood, "more than \(limit) changes in \(window) ms: try again in \(retryAfter) ms",
      data: ErrorDetails(
        retryAfterMilliseconds: retryAfter, limit: Int64(limit), windowMilliseconds: window,
        scope: "user_channel"))
  }

  /// The user's byte budget in the channel is used up; `limit` is in bytes per second.
  package static func byteFlood(retryAfter: Int64, limit: Int64) -> ServiceError {
    ServiceError(
      .flood,
      "messages and changes come to more than \(limit) bytes a second: try again in \(retryAfter) ms",
      data: ErrorDetails(
        retryAfterMilliseconds: retryAfter, limit: limit, windowMilliseconds: 1_000,
        scope: "user_channel"))
  }

  /// A message to be imported has a time in the future; times in Unix milliseconds.
  package static func importTooLate(_ time: Int64, now: Int64) -> ServiceError {
    importRefusal(
      "'created_at' is \(time), in the future: up to \(now), the time of the server, is expected")
  }

  /// A message to be imported is older than the channel's newest one.
  package static func importTooEarly(_ time: Int64, newest: Int64) -> ServiceError {
    importRefusal(
      "'created_at' is \(time), before \(newest), the time of the channel's newest message: history is "
        + "imported in the order of time, before anything else is sent")
  }

  /// A message to be imported would be removed because of its age.
  package static func importExpired(_ time: Int64, horizon: Int64) -> ServiceError {
    importRefusal(
      "'created_at' is \(time): messages before \(horizon) are removed, see 'store.retention_days', 'store.retention' and the channel's own retention"
    )
  }

  private static func importRefusal(_ message: String) -> ServiceError {
    ServiceError(.outOfRange, message, field: "created_at")
  }

  /// A message has no such key in its extra data, and the caller may not create it.
  package static func unknownMetaArrayKey(_ key: String) -> ServiceError {
    ServiceError(
      .notFound,
      "the message has no key \(DisplayText.excerpt(key)): its author and operators of the channel may create it",
      field: "values")
  }

  /// The rate limit for calls is exceeded; times in milliseconds.
  package static func rateLimited(
    retryAfter: Int64, limit: Int, window: Int64, scope: String
  ) -> ServiceError {
    ServiceError(
      .rateLimited, "more than \(limit) calls in \(window) ms: try again in \(retryAfter) ms",
      data: ErrorDetails(
        retryAfterMilliseconds: retryAfter, limit: Int64(limit), windowMilliseconds: window,
        scope: scope))
  }

  /// A user has sent or created as many things today as a quota allows.
  ///
  /// - Parameter wait: Milliseconds until the day ends.
  package static func dailyQuota(
    _ quota: DailyQuota, _ limit: Int, retryAfter wait: Int64
  ) -> ServiceError {
    ServiceError(
      .rateLimited,
      "'\(quota.setting)' is \(limit), and the user has \(quota.deed) as many today: the count begins "
        + "again at midnight UTC, in \(wait) ms",
      data: ErrorDetails(
        retryAfterMilliseconds: wait, limit: Int64(limit), windowMilliseconds: 86_400_000,
        scope: "user"))
  }

  /// As many groups of a user exist as a quota allows.
  package static func groupQuota(_ limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems,
      "'limits.user_groups_created' is \(limit), and as many groups that the user has created exist",
      data: ErrorDetails(limit: Int64(limit), scope: "user"))
  }

  /// The deployment stores as much as a quota allows.
  package static func storageFull(_ setting: String, _ limit: Int64) -> ServiceError {
    ServiceError(
      .internalError, "'\(setting)' is \(limit), and as much is stored: users cannot send messages",
      data: ErrorDetails(limit: limit, scope: "deployment", reason: "storage_full"))
  }

  /// The answers of a batch have reached the size limit: this call was not executed, or only read data.
  package static let batchTooLarge = ServiceError(
    .rateLimited,
    "the answers of the batch hold \(Limits.answerByteCount) bytes: send this call by itself",
    data: ErrorDetails(
      retryAfterMilliseconds: 0, limit: Int64(Limits.answerByteCount), windowMilliseconds: 0,
      scope: "batch"))

  /// An internal error, whose details are logged and not sent to the client.
  package static let internalError = ServiceError(
    .internalError, "the server failed to answer; nothing is wrong with the request")

  /// The server accepts no more connections, or is draining.
  package static let overCapacity = ServiceError(
    .tooManyConnections, "the server takes no connections at the moment: try again later")

  /// The server has not connected to its database.
  package static let starting = ServiceError(
    .tooManyConnections, "the server is starting: try again in a moment, or another one",
    data: ErrorDetails(retryAfterMilliseconds: 1000))

  /// The server is shutting down; a client that retries after a second may reach another one instead.
  package static let draining = ServiceError(
    .tooManyConnections, "the server is draining: try again in a moment, or another one",
    data: ErrorDetails(retryAfterMilliseconds: 1000))
}

/// A quota of a user for a day of UTC.
package enum DailyQuota: Sendable {
  case messages
  case channels

  /// The name of its setting.
  fileprivate var setting: String {
    switch self {
    case .messages: "limits.user_messages_per_day"
    case .channels: "limits.user_channels_per_day"
    }
  }

  fileprivate var deed: String {
    switch self {
    case .messages: "sent"
    case .channels: "created"
    }
  }
}
