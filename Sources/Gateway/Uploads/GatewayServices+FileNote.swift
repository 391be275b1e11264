import ParleyProtocol
import Configuration
import Store

extension GatewayServices {
  /// Records a file from a form in the store, then continues.
  ///
  /// A failure removes the file and answers the call.
  ///
  /// The file is removed with the unused uploads, unless a message, a channel or a user refers to it.
  func note(
    _ file: FileRecord, of userID: String, _ completion: Completion,
    then proceed: @escaping @Sendable () -> Void
  ) {
    let now = clock.now
    let note = FileNote(
      file, of: userID, at: now,
      expiresAt: now + settings.limits.uploadRetentionSeconds * 1_000,
      secretHash: UploadSecret().hash)
    store.perform(note) { [files] result in
      switch result.serviceResult {
      case .success: proceed()
      case .failure(let error):
        files.remove(file.id)
        completion.fail(error)
      }
    }
  }
}
