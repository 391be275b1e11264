internal import Glibc
internal import ParleyClient
internal import Synchronization

/// Sends the files of a chat one after another.
final class ChatUploads: Sendable {
  private let conversation: ChatConversation
  private let current = Mutex<FileMessageSending?>(nil)
  private let (paths, path) = AsyncStream.makeStream(of: String.self)

  init(_ conversation: ChatConversation) {
    self.conversation = conversation
  }

  /// Queues a file.
  func add(_ path: String) {
    self.path.yield(path)
  }

  /// Sends the queued files until the task is cancelled.
  func run() async {
    for await path in paths { await send(path) }
  }

  /// Sends a file, with the progress of its upload before the prompt.
  func send(_ path: String) async {
    let params = FileMessageCreateParams(file: .path(Self.expanded(path)))
    let sending = conversation.channel.sendingFileMessage(params: params)
    current.withLock { $0 = sending }
    for await step in sending.progress {
      let share = step.totalBytesSent * 100 / max(1, step.totalBytesExpectedToSend)
      await conversation.screen.setProgress("\(params.fileName) \(share) %")
    }
    await conversation.screen.setProgress(nil)
    current.withLock { $0 = nil }
    await finish(sending)
  }

  /// Cancels the current upload, if there is one.
  func cancel() async {
    let sending = current.withLock { $0 }
    if sending?.cancel() != true { await conversation.notice("no file is being uploaded") }
  }

  private func finish(_ sending: FileMessageSending) async {
    do throws(ParleyError) {
      let message = try await sending.message()
      await conversation.screen.show { $0.show(message) }
    } catch {
      await repeatOrExplain(sending, error)
    }
  }

  /// Sends a message rejected by flood protection again, if the conversation waits in this case.
  private func repeatOrExplain(_ sending: FileMessageSending, _ error: ParleyError) async {
    guard conversation.haste == .waits, let wait = error.retryAfter else {
      return await conversation.notice(
        "\(sending.pendingMessage.name) not sent: \(error.message)")
    }
    try? await Task.sleep(for: wait)
    do throws(ParleyError) {
      let channel = conversation.channel
      let message = try await channel.resendFileMessage(sending.pendingMessage)
      await conversation.screen.show { $0.show(message) }
    } catch {
      await repeatOrExplain(sending, error)
    }
  }

  /// The path with the user's home directory in place of a tilde.
  private static func expanded(_ path: String) -> String {
    guard path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
    return String(cString: home) + path.dropFirst()
  }
}
