import ParleyProtocol
import Configuration
import Store

extension GatewayServices {
  /// Has the store keep a file that came with a form, then goes on; a failure removes the file and
  /// answers the call.
  ///
  /// The file is removed with the uploads that nobody uses, unless a message, a channel or a user comes
  /// to have it.
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
