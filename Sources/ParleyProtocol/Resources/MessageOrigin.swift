/// The identifier that a server assigns to a send without one from the sender, so that the log
/// recognises a repetition.
///
/// It is stored in place of a `req_id`, and never shown.
package enum MessageOrigin {
  /// A prefix that an application would not use.
  private static let prefix = "\u{1}origin:"

  /// The identifier of a call.
  ///
  /// - Parameters:
  ///   - server: The number of one start of a process.
  ///   - call: The sequence number of the call in its shard.
  package static func name(server: UInt64, shard: Int, call: UInt64) -> String {
    "\(prefix)\(String(server, radix: 36)).\(shard).\(call)"
  }

  /// The identifier of the message that is sent when an upload is complete.
  package static func name(fileID: String) -> String { "\(prefix)file.\(fileID)" }

  /// Whether a `req_id` is an identifier of this kind.
  package static func isName(_ requestID: String) -> Bool {
    requestID.utf8.starts(with: prefix.utf8)
  }
}
