/// A file message that is being sent.
///
///     let sending = channel.sendingFileMessage(params: FileMessageCreateParams(file: .path("a.png")))
///     for await step in sending.progress { show(step.totalBytesSent) }
///     let message = try await sending.message()
public struct FileMessageSending: Sendable {
  /// The message to show until the file is sent.
  public let pendingMessage: FileMessage
  /// The progress of the upload, for one consumer.
  ///
  /// A slow consumer receives only the latest step. The stream ends with the sending.
  public let progress: AsyncStream<FileUploadProgress>
  private let task: Task<FileSendings.Outcome, Never>
  private let channel: any BaseChannel

  typealias Report = AsyncStream<FileUploadProgress>.Continuation

  init(
    _ pendingMessage: FileMessage, _ progress: AsyncStream<FileUploadProgress>, _ report: Report,
    _ task: Task<FileSendings.Outcome, Never>, _ channel: any BaseChannel
  ) {
    self.pendingMessage = pendingMessage
    self.progress = progress
    self.task = task
    self.channel = channel
    Task {
      _ = await task.value
      report.finish()
    }
  }

  /// Waits until the server has stored the message; cancelling the task cancels the upload.
  ///
  /// - Throws: See ``BaseChannel/sendFileMessage(params:)``.
  public func message() async throws(ParleyError) -> FileMessage {
    try await task.outcome.get()
  }

  /// Cancels the upload; see ``BaseChannel/cancelUploadingFileMessage(requestID:)``.
  @discardableResult
  public func cancel() -> Bool {
    channel.cancelUploadingFileMessage(requestID: pendingMessage.requestID)
  }

  static func makeProgress() -> (
    progress: AsyncStream<FileUploadProgress>, report: Report
  ) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: FileUploadProgress.self, bufferingPolicy: .bufferingNewest(1))
    return (stream, continuation)
  }
}

extension Task where Success == FileSendings.Outcome, Failure == Never {
  /// The outcome; cancelling a task that waits for it cancels the upload.
  var outcome: FileSendings.Outcome {
    get async {
      await withTaskCancellationHandler {
        await value
      } onCancel: {
        cancel()
      }
    }
  }
}
