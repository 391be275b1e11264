package import ParleyProtocol

/// The reason why a request to an upload is refused.
package enum UploadRefusal: Error, Sendable, Hashable {
  /// No upload has this address.
  case unknown
  /// The upload expired or was cancelled.
  case gone
  /// Another request is writing.
  case locked
  /// The upload is at this offset.
  case offset(Int64)
  /// The request has more bytes than the length of the upload.
  case tooLarge(Int64)
  /// The request has fewer bytes than the whole file.
  case incomplete(expected: Int64, received: Int64)
  /// The bytes do not match the checksum.
  case checksum
  /// Another version of tus.
  case version
  /// A content type other than that of tus.
  case contentType
  /// A field of the request cannot be parsed.
  case field(String, expected: String)
  /// The user's requests arrive too fast; milliseconds until the next one is accepted.
  case tooFast(retryAfter: Int64)
  /// A file that a message has cannot be removed.
  case inUse
  /// The storage for files is full.
  case full
  /// The storage for files, or the store, fails.
  case storage
  /// The keys of an encrypted file cannot be used, for the given reason.
  case keys(ServiceError)

  /// The HTTP status.
  package var status: UInt16 {
    switch self {
    case .unknown: 404
    case .gone: 410
    case .locked: 423
    case .offset: 409
    case .tooLarge: 413
    case .incomplete, .field: 400
    case .checksum: 460
    case .version: 412
    case .contentType: 415
    case .tooFast: 429
    case .inUse: 403
    case .full: 507
    case .storage, .keys: 500
    }
  }

  /// The error in the common form of all calls.
  package var error: ServiceError {
    switch self {
    case .unknown: ServiceError(.notFound, "there is no such upload")
    case .gone: ServiceError(.notFound, "the upload has expired or was cancelled")
    case .locked:
      ServiceError(
        .combinationNotAcceptable, "another request writes to the upload: try again later")
    case .offset(let offset):
      ServiceError(
        .combinationNotAcceptable, "the upload stands at offset \(offset)", field: "Upload-Offset")
    case .tooLarge(let size):
      ServiceError(
        .invalidValue, "the body is larger than what the upload of \(size) bytes lacks",
        data: ErrorDetails(field: "Content-Length", limit: size))
    case .incomplete(let expected, let received):
      ServiceError(
        .invalidValue, "the body has \(received) bytes, and the upload \(expected)",
        field: "Content-Length")
    case .checksum:
      ServiceError(
        .invalidValue, "the bytes do not match the checksum: the piece was dropped",
        field: "Upload-Checksum")
    case .version:
      ServiceError(.invalidValue, "Tus-Resumable must be 1.0.0", field: "Tus-Resumable")
    case .contentType:
      ServiceError(
        .invalidValue, "Content-Type must be application/offset+octet-stream",
        field: "Content-Type")
    case .field(let name, let expected):
      ServiceError(.invalidValue, "\(name) must be \(expected)", field: name)
    case .tooFast(let wait):
      .rateLimited(
        retryAfter: wait, limit: UploadPace.requestsPerSecond, window: 1_000,
        scope: "upload_requests")
    case .inUse:
      ServiceError(.notAllowed, "a message has the file: delete the message")
    case .full:
      ServiceError(
        .internalError, "the server has no room for the file: try again later",
        data: ErrorDetails(reason: "storage_full"))
    case .storage:
      ServiceError(.internalError, "the file can't be stored now: try again later")
    case .keys(let reason): reason
    }
  }
}
