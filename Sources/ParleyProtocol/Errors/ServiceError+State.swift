internal import Basics

/// Refusals that depend on what is stored, connected or sent before.
extension ServiceError {
  /// A kind of thing that a request may name and not find.
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
      }
    }
  }

  /// There is no such resource.
  package static func notFound(_ resource: Resource, _ id: String) -> ServiceError {
    ServiceError(
      .notFound, "there is no \(resource.rawValue) \(DisplayText.excerpt(id))",
      field: resource.field)
  }

  /// There is no such message.
  package static func notFound(messageID: Int64) -> ServiceError {
    ServiceError(.notFound, "there is no message \(messageID)", field: "message_id")
  }

  /// An ephemeral channel keeps nothing that could be listed, fetched or changed.
  package static func notKept(inEphemeralChannel url: String) -> ServiceError {
    ServiceError(
      .notFound, "the channel \(DisplayText.excerpt(url)) is ephemeral and keeps no messages",
      field: "channel_url")
  }

  /// A resource of that name exists already.
  package static func exists(_ resource: Resource, _ id: String) -> ServiceError {
    ServiceError(
      .alreadyExists, "the \(resource.rawValue) \(DisplayText.excerpt(id)) exists already",
      field: resource.field)
  }

  /// There is an API token of that name.
  package static func apiTokenExists(_ name: String) -> ServiceError {
    ServiceError(
      .alreadyExists, "there is an API token of the name \(DisplayText.excerpt(name)) already",
      field: "name")
  }

  /// HTTP has nothing under that path, or not for that method.
  package static func noSuchEndpoint(_ method: String, _ path: String) -> ServiceError {
    ServiceError(
      .noSuchEndpoint, "there is no endpoint \(DisplayText.excerpt("\(method) \(path)", limit: 80))"
    )
  }

  /// The user may not do this; `reason` says who may.
  package static func notAllowed(_ reason: String) -> ServiceError {
    ServiceError(.notAllowed, reason)
  }

  /// The user is in as many channels as it may be.
  package static func tooManyChannels(limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems, "a user may be in \(limit) channels at once",
      data: ErrorDetails(limit: Int64(limit), scope: "user"))
  }

  /// A file is in messages of as many channels as it may.
  package static func tooManyFileChannels(limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems,
      "a file may be in messages of \(limit) channels at once: upload it again for more",
      data: ErrorDetails(field: "file_id", limit: Int64(limit), scope: "file"))
  }

  /// A server carries as many observers of a channel as it may.
  package static func tooManyObservers(limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems, "a channel may have \(limit) observers on a server",
      data: ErrorDetails(limit: Int64(limit), scope: "channel"))
  }

  /// A channel has as many bans or mutes as it may.
  ///
  /// - Parameter noun: "bans" or "mutes".
  package static func tooManyRestrictions(_ noun: String, limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems, "a channel may have \(limit) \(noun) at once: lift one",
      data: ErrorDetails(limit: Int64(limit), scope: "channel"))
  }

  /// An observer hears as many channels as it may.
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

  /// The access token is missing, wrong, expired or revoked; `reason` says which.
  package static func accessToken(_ reason: String) -> ServiceError {
    ServiceError(.invalidAccessToken, reason, field: "access_token")
  }

  /// The sender is not in the channel.
  package static func notInChannel(_ url: String) -> ServiceError {
    ServiceError(
      .notInChannel, "enter the channel \(DisplayText.excerpt(url)) first", field: "channel_url")
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

  /// Spam-flood protection held a message back.
  ///
  /// - Parameters:
  ///   - retryAfter: Milliseconds until the same message would pass.
  ///   - limit: Messages let through in a window.
  ///   - window: Milliseconds.
  package static func flood(retryAfter: Int64, limit: Int, window: Int64) -> ServiceError {
    ServiceError(
      .flood, "more than \(limit) messages in \(window) ms: try again in \(retryAfter) ms",
      data: ErrorDetails(
        retryAfterMilliseconds: retryAfter, limit: Int64(limit), windowMilliseconds: window,
        scope: "user_channel"))
  }

  /// Spam-flood protection held a change of a message or channel back; parameters as for a message.
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

  /// A message to be imported has a time of the future; times in Unix milliseconds.
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

  /// A message to be imported would be removed for its age.
  package static func importExpired(_ time: Int64, horizon: Int64) -> ServiceError {
    importRefusal(
      "'created_at' is \(time): messages before \(horizon) are removed, see 'store.retention_days'")
  }

  private static func importRefusal(_ message: String) -> ServiceError {
    ServiceError(.outOfRange, message, field: "created_at")
  }

  /// A message has no such key of extra data, and the caller may not create it.
  package static func unknownMetaArrayKey(_ key: String) -> ServiceError {
    ServiceError(
      .notFound,
      "the message has no key \(DisplayText.excerpt(key)): its author and operators of the channel may create it",
      field: "values")
  }

  /// The rate limit of a call is exceeded; times in milliseconds.
  package static func rateLimited(
    retryAfter: Int64, limit: Int, window: Int64, scope: String
  ) -> ServiceError {
    ServiceError(
      .rateLimited, "more than \(limit) calls in \(window) ms: try again in \(retryAfter) ms",
      data: ErrorDetails(
        retryAfterMilliseconds: retryAfter, limit: Int64(limit), windowMilliseconds: window,
        scope: scope))
  }

  /// The answers of a batch hold as much as they may: this call of it was not carried out, or only
  /// read.
  package static let batchTooLarge = ServiceError(
    .rateLimited,
    "the answers of the batch hold \(Limits.answerByteCount) bytes: send this call by itself",
    data: ErrorDetails(
      retryAfterMilliseconds: 0, limit: Int64(Limits.answerByteCount), windowMilliseconds: 0,
      scope: "batch"))

  /// A fault of the server's own; what it was goes to the log, not to the client.
  package static let internalError = ServiceError(
    .internalError, "the server failed to answer; nothing is wrong with the request")

  /// The server takes no more connections, or is draining.
  package static let overCapacity = ServiceError(
    .tooManyConnections, "the server takes no connections at the moment: try again later")

  /// The server has not reached its database.
  package static let starting = ServiceError(
    .tooManyConnections, "the server is starting: try again in a moment, or another one",
    data: ErrorDetails(retryAfterMilliseconds: 1000))

  /// The server is about to end; whoever asks again after a second may find another in its place.
  package static let draining = ServiceError(
    .tooManyConnections, "the server is draining: try again in a moment, or another one",
    data: ErrorDetails(retryAfterMilliseconds: 1000))
}
