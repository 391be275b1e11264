import ParleyProtocol
import Store

extension ServiceError {
  /// The answer to a call whose store operation failed.
  init(_ error: StoreError) {
    switch error {
    case .noUser(let id): self = .notFound(.user, id)
    case .notFound(let resource): self.init(missing: resource)
    case .exists:
      self.init(.alreadyExists, "a resource of this name exists already")
    case .keyExists: self.init(.alreadyExists, "\(error)", field: "key")
    case .tooManyItems: self.init(.tooManyItems, "\(error)")
    case .tooLong: self.init(.tooLong, "\(error)", field: "key")
    case .tooLarge(let byteCount, let limit):
      self = .tooLongTogether("metadata", byteCount: byteCount, limit: limit)
    case .counterOverflow: self.init(.outOfRange, "\(error)", field: "value")
    case .unstorableText: self.init(.characterNotAllowed, "\(error)")
    case .invalidPageToken: self = .pageTokenExpired
    case .unavailable:
      self.init(.internalError, "the storage fails: nothing was changed, try again later")
    case .unknown:
      self.init(
        .internalError, "the storage broke off: the change may have been made",
        data: ErrorDetails(outcome: "unknown"))
    case .overloaded:
      self.init(.internalError, "the storage is overloaded: try again in a moment")
    case .tooManyQueries(let limit):
      self.init(
        .rateLimited, "\(error): wait for their answers",
        data: ErrorDetails(
          retryAfterMilliseconds: 1000, limit: Int64(limit), windowMilliseconds: 1000,
          scope: "queries"))
    case .closed: self.init(.internalError, "the server is stopping")
    case .locked, .inaccessible, .damaged, .newerSchema: self = .internalError
    }
  }

  private init(missing resource: StoreResource) {
    switch resource {
    case .channel:
      self.init(.notFound, "there is no such channel", field: "channel_url")
    case .message: self.init(.notFound, "there is no such message", field: "message_id")
    case .metadata, .metacounter: self.init(.notFound, "there is no such key", field: "key")
    case .token: self.init(.notFound, "there is no such token")
    case .file: self.init(.notFound, "there is no such file", field: "file_id")
    case .report: self.init(.notFound, "there is no such report", field: "report_id")
    }
  }
}

extension Result where Failure == StoreError {
  /// The result as the answer to a call.
  var serviceResult: Result<Success, ServiceError> { mapError { ServiceError($0) } }
}

extension Result<Account?, ServiceError> {
  /// The account that was looked up.
  ///
  /// A missing user is reported as not found.
  func existing(_ userID: String) -> Result<Account, ServiceError> {
    flatMap { $0.map { .success($0) } ?? .failure(.notFound(.user, userID)) }
  }
}
