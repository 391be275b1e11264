import Channels
import ParleyProtocol
import Store

/// Removes a file that came with a form when the answer to its message leaves it without one.
///
/// The store has a note of the file, and removes none that a message has. What no answer decides is removed
/// with the uploads that nobody uses.
struct UnusedUploadRemoval: Sendable {
  private let fileID: String

  init(_ file: FileRecord) { fileID = file.id }

  func perform(after outcome: Result<JudgeAnswer, ServiceError>, in store: Store) {
    guard isDue(after: outcome) else { return }
    store.perform(UnusedFileRemoval(fileID)) { _ in }
  }

  /// Whether no attempt at the same message can still come to have the file.
  ///
  /// The server of the caller repeats a call at a channel's next home with the same file, and a message of
  /// which it is unknown whether it is kept may be found later.
  func isDue(after outcome: Result<JudgeAnswer, ServiceError>) -> Bool {
    switch outcome {
    case .success(.sent(let sent)):
      sent.arrival != .sent && sent.message.file?.id != fileID
    case .success(.done), .success(.channel), .success(.changed), .success(.imposed),
      .success(.lifted), .success(.message):
      false
    case .failure(let error): !error.isMoved && error.data.outcome == nil
    }
  }
}
