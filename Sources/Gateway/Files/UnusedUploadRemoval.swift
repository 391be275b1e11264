import Channels
import ParleyProtocol
import Store

/// Removes a file uploaded with a form when the answer to its message leaves the file unused.
///
/// The store has a record of the file, and does not remove a file that a message has. A file about
/// which no answer decides is removed with the unused uploads.
struct UnusedUploadRemoval: Sendable {
  private let fileID: String

  init(_ file: FileRecord) { fileID = file.id }

  func perform(after outcome: Result<JudgeAnswer, ServiceError>, in store: Store) {
    guard isDue(after: outcome) else { return }
    store.perform(UnusedFileRemoval(fileID)) { _ in }
  }

  /// Whether no attempt at the same message can still use the file.
  ///
  /// The server of the caller repeats a call at a channel's next home with the same file, and a
  /// message that may or may not have been stored may be found later.
  func isDue(after outcome: Result<JudgeAnswer, ServiceError>) -> Bool {
    switch outcome {
    case .success(.sent(let sent)):
      sent.arrival != .sent && sent.message.file?.id != fileID
    case .success(.done), .success(.channel), .success(.group), .success(.own),
      .success(.historyReset), .success(.receipts), .success(.changed), .success(.imposed),
      .success(.lifted),
      .success(.message):
      false
    case .failure(let error): !error.isMoved && error.data.outcome == nil
    }
  }
}
