internal import ParleyProtocol

extension FileMessage {
  /// Creates a message from the server's form.
  init(_ record: MessageRecord, _ file: MessageFile?) {
    self.init(
      record: record, url: file?.url ?? "", name: file?.name ?? "", type: file?.type ?? "",
      size: file?.size ?? 0, sendingStatus: .succeeded)
  }

  /// A message that is about to be sent.
  init(pending params: FileMessageCreateParams, _ record: MessageRecord) {
    self.init(
      record: record, url: params.fileURL, name: params.fileName, type: params.mimeType,
      size: params.fileSize, sendingStatus: .pending)
  }
}
