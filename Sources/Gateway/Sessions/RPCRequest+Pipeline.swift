import Configuration
import ParleyProtocol

/// The place of a request in its connection's pipeline.
extension RPCRequest {
  /// Sends run concurrently, and no call waits for a preview or a translation.
  ///
  /// All other calls wait for their turn.
  ///
  /// A send of an uploaded file waits as well, because its file must be looked up first.
  var concurrency: Session.Pipeline.Concurrency {
    switch method {
    case "message.send" where params?.present("file_id") == nil: .besideItsLike
    case "preview.fetch", "message.translate": .besideAll
    default: .alone
    }
  }

  /// The bytes that must be left in a batch's budget when the call starts.
  ///
  /// A send returns the message, its author, a preview and the mentioned users. Any other call returns a
  /// resource, or needs no more room than one.
  var replyBound: Int {
    guard id != nil else { return 0 }
    guard method == "message.send", params?.present("translation_target_langs") == nil else {
      return Limits.eventByteCount + 1_024
    }
    let mentions = params?.present("mentioned_user_ids") == nil ? 0 : Limits.userListByteCount
    let sent = (params?.raw.count ?? 0) + 2_048
    return min(
      sent + Limits.userReferenceByteCount + Limits.previewByteCount + mentions,
      Limits.eventByteCount + 1_024)
  }

  /// Bytes of the request in memory: its text and the list of its values.
  var documentByteCount: Int { params?.documentByteCount ?? 0 }
}
