/// The progress of an upload.
public struct FileUploadProgress: Sendable, Hashable {
  /// The name of the sending: the ``BaseMessage/requestID`` of the pending message.
  public let requestID: String
  /// The bytes that the server received since the last report.
  public let bytesSent: Int64
  /// The total bytes that the server received.
  public let totalBytesSent: Int64
  /// The length of the file.
  public let totalBytesExpectedToSend: Int64
}

/// Reports progress: every step once, in ascending order.
struct ProgressReports {
  private let requestID: String
  private let size: Int64
  private let report: @Sendable (FileUploadProgress) -> Void
  private var reported: Int64 = 0

  init(
    _ requestID: String, size: Int64, report: @escaping @Sendable (FileUploadProgress) -> Void
  ) {
    self.requestID = requestID
    self.size = size
    self.report = report
  }

  mutating func reach(_ offset: Int64) {
    guard offset > reported else { return }
    report(
      FileUploadProgress(
        requestID: requestID, bytesSent: offset - reported, totalBytesSent: offset,
        totalBytesExpectedToSend: size))
    reported = offset
  }
}
