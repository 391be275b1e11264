import ParleyProtocol
import Store

extension ServiceError {
  /// What a client is told of a job of the store that failed.
  init(_ error: any Error) {
    switch error {
    case let error as ServiceError: self = error
    case StoreError.notFound(.user): self = ServiceError(.notFound, "there is no such user")
    case StoreError.notFound(.channel):
      self = ServiceError(.notFound, "there is no such channel", field: "channel_url")
    case StoreError.notFound(.message):
      self = ServiceError(.notFound, "there is no such message", field: "message_id")
    case StoreError.exists:
      self = ServiceError(.alreadyExists, "it exists already", field: "channel_url")
    case StoreError.invalidPageToken: self = .pageTokenExpired
    case StoreError.unavailable:
      self = ServiceError(.internalError, "the storage fails: nothing was changed, try again later")
    case StoreError.overloaded:
      self = ServiceError(.internalError, "the storage is overloaded: try again in a moment")
    case StoreError.closed: self = ServiceError(.internalError, "the server is stopping")
    default: self = .internalError
    }
  }
}

extension Result where Failure == any Error {
  /// The same with what a client may know of the failure.
  var serviceResult: Result<Success, ServiceError> { mapError { ServiceError($0) } }
}
