package import ParleyProtocol

extension ServiceError {
  /// The refusal of a call whose entry the log refused or failed to write.
  package init(_ error: LogError) {
    switch error {
    case .noUser(let id): self = .notFound(.user, id)
    case .deactivated(let id): self = .deactivated(id)
    case .tooManyGroups(let limit): self = .tooManyGroups(limit: limit)
    case .tooManyInvitations(let id, let limit):
      self = .tooManyInvitations(of: id, limit: limit)
    case .missing(.channel):
      self = ServiceError(.notFound, "there is no such channel", field: "channel_url")
    case .missing(.message): self = .noSuchMessage
    case .missing(.member):
      self = ServiceError(.notInChannel, "the user is no joined member of the group")
    case .exists:
      self = ServiceError(.alreadyExists, "a resource of this name exists already")
    case .unstorableText:
      self = ServiceError(.characterNotAllowed, "a text may not hold the character U+0000")
    case .outdatedFile:
      self = ServiceError(
        .internalError, "the file was encrypted meanwhile: nothing was sent, try again")
    case .unavailable:
      self = ServiceError(.internalError, "the storage fails: nothing was changed, try again later")
    case .unknown:
      self = ServiceError(
        .internalError, "the storage broke off: the change may have been made",
        data: ErrorDetails(outcome: "unknown"))
    case .overloaded:
      self = ServiceError(.internalError, "the storage is overloaded: try again in a moment")
    case .tooManyQueries(let limit):
      self = ServiceError(
        .rateLimited,
        "\(limit) queries of the same user or token are waiting already: wait for their answers",
        data: ErrorDetails(
          retryAfterMilliseconds: 1000, limit: Int64(limit), windowMilliseconds: 1000,
          scope: "queries"))
    case .closed: self = ServiceError(.internalError, "the server is stopping")
    case .fenced: self = .moved
    case .damaged: self = .internalError
    }
  }

  /// The channel has another home: nothing was changed, and the call must be repeated there.
  ///
  /// Internal: the caller's server repeats the call, so no client receives the error.
  package static let moved = ServiceError(
    .internalError, "the channel has moved to another server: nothing was changed, try again")

  /// Whether the call was refused because the channel has another home.
  package var isMoved: Bool { self == .moved }

  /// The message of a request was deleted, or is in another channel.
  static let noSuchMessage = ServiceError(
    .notFound, "there is no such message", field: "message_id")
}
