import ParleyProtocol
import Uploads

/// Refusals of uploads.
extension ServiceError {
  static func fileTooLarge(limit: Int) -> ServiceError {
    ServiceError(
      .invalidValue, "the file is larger than \(limit) bytes (limits.file_bytes)",
      data: ErrorDetails(field: "size", limit: Int64(limit)))
  }

  static func tooManyUploads(_ limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems, "the user has \(limit) unfinished uploads: complete or cancel one",
      data: ErrorDetails(limit: Int64(limit), scope: "user_uploads"))
  }

  static func tooManyFileBytes(_ limit: Int64) -> ServiceError {
    ServiceError(
      .tooManyItems, "the files of the user would hold more than \(limit) bytes",
      data: ErrorDetails(limit: limit, scope: "user_files"))
  }

  static let storageFull = UploadRefusal.full.error

  static let uploadsAreOff = ServiceError(
    .combinationNotAcceptable, "uploads are off: limits.file_bytes is 0")
}
