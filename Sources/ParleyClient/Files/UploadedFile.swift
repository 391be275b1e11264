internal import ParleyProtocol

/// A file of the current user at the server, complete or not.
public struct UploadedFile: Sendable, Hashable {
  /// The progress of an upload.
  public enum Status: Sendable, Hashable {
    /// No byte has arrived.
    case waiting
    /// Some bytes have arrived.
    case uploading
    /// All bytes have arrived.
    case complete
    /// The upload was cancelled.
    case cancelled
    /// A status that is unknown to this client.
    case other(String)
  }

  /// The id of the file.
  public let fileID: String
  /// The progress of the upload.
  public let status: Status
  /// The size of the file in bytes.
  public let size: Int64
  /// The number of bytes that the server has.
  public let uploadedBytes: Int64
  /// Unix milliseconds at which the server removes the file, unless a message has it.
  public let expiresAt: Int64
  /// The message with the file that the server sent for a ``BackgroundUpload``; `nil` before.
  public let messageID: Int64?
  /// The reason why the server refused to send the message of a ``BackgroundUpload``.
  public let messageError: ParleyError?

  init(_ node: JSONNode) throws(ParleyError) {
    fileID = try AnswerReader.text("file_id", of: node)
    status = Status(try AnswerReader.text("status", of: node))
    size = try AnswerReader.integer("size", of: node)
    uploadedBytes = try AnswerReader.integer("offset", of: node)
    expiresAt = try AnswerReader.integer("expires_at", of: node)
    messageID = node["message_id"]?.integer
    messageError = node.present("error").flatMap(ServiceError.init(json:)).map { ParleyError($0) }
  }
}

extension UploadedFile.Status {
  fileprivate init(_ name: String) {
    self =
      switch name {
      case "waiting": .waiting
      case "uploading": .uploading
      case "complete": .complete
      case "cancelled": .cancelled
      default: .other(name)
      }
  }
}
