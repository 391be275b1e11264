import Configuration
import ParleyProtocol

/// The place of a request in its connection's pipeline.
extension RPCRequest {
  /// Sends may follow one another, and nothing waits for a page or a translation; all else waits for its
  /// turn.
  ///
  /// A send of an uploaded file waits as well, because the file is looked up on its way.
  var concurrency: Session.Pipeline.Concurrency {
    switch method {
    case "message.send" where params?.present("file_id") == nil: .besideItsLike
    case "preview.fetch", "message.translate": .besideAll
    default: .alone
    }
  }

  /// The bytes that must be left of a batch's budget when the call starts.
  ///
  /// A send answers with the message, its author, a preview and the mentioned users;
  /// any other call answers with a resource, or gets along with room for one.
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
