import ParleyProtocol
import Store

extension ServiceError {
  /// What a client is told of a job of the store that failed.
  init(_ error: any Error) {
    switch error {
    case let error as ServiceError: self = error
    case StoreError.noUser(let id): self = .notFound(.user, id)
    case StoreError.notFound(.channel):
      self = ServiceError(.notFound, "there is no such channel", field: "channel_url")
    case StoreError.notFound(.message):
      self = ServiceError(.notFound, "there is no such message", field: "message_id")
    case StoreError.notFound(.metadata), StoreError.notFound(.metacounter):
      self = ServiceError(.notFound, "there is no such key", field: "key")
    case StoreError.notFound(.token): self = ServiceError(.notFound, "there is no such token")
    case StoreError.exists:
      self = ServiceError(.alreadyExists, "a resource of this name exists already")
    case StoreError.keyExists, StoreError.tooManyItems, StoreError.tooLong,
      StoreError.counterOverflow, StoreError.unstorableText:
      self = ServiceError(refused: error)
    case StoreError.invalidPageToken: self = .pageTokenExpired
    case StoreError.unavailable:
      self = ServiceError(.internalError, "the storage fails: nothing was changed, try again later")
    case StoreError.overloaded:
      self = ServiceError(.internalError, "the storage is overloaded: try again in a moment")
    case StoreError.tooManyQueries(let limit):
      self = ServiceError(
        .rateLimited, "\(error): wait for their answers",
        data: ErrorDetails(
          retryAfterMilliseconds: 1000, limit: Int64(limit), windowMilliseconds: 1000,
          scope: "queries"))
    case StoreError.closed: self = ServiceError(.internalError, "the server is stopping")
    default: self = .internalError
    }
  }
}

extension ServiceError {
  /// What the store refused for what was to be kept.
  private init(refused error: any Error) {
    switch error {
    case StoreError.keyExists: self.init(.alreadyExists, "\(error)", field: "key")
    case StoreError.tooManyItems: self.init(.tooManyItems, "\(error)")
    case StoreError.tooLong: self.init(.tooLong, "\(error)", field: "key")
    case StoreError.counterOverflow: self.init(.outOfRange, "\(error)", field: "value")
    default: self.init(.characterNotAllowed, "\(error)")
    }
  }
}

extension Result where Failure == any Error {
  /// The same with what a client may know of the failure.
  var serviceResult: Result<Success, ServiceError> { mapError { ServiceError($0) } }
}
