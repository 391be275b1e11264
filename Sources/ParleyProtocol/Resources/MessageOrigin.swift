/// The name that a server gives to a send whose sender gave none, so that the log recognises a
/// repetition.
///
/// It lies where a `req_id` does, and is never shown.
package enum MessageOrigin {
  /// Not what an application would begin a name with.
  private static let prefix = "\u{1}origin:"

  /// The name of a call.
  ///
  /// - Parameters:
  ///   - server: The number of one start of a process.
  ///   - call: Counts the calls of the shard.
  package static func name(server: UInt64, shard: Int, call: UInt64) -> String {
    "\(prefix)\(String(server, radix: 36)).\(shard).\(call)"
  }

  /// The name of the message that is sent when an upload is complete.
  package static func name(fileID: String) -> String { "\(prefix)file.\(fileID)" }

  /// Whether a `req_id` is a name of this kind.
  package static func isName(_ requestID: String) -> Bool {
    requestID.utf8.starts(with: prefix.utf8)
  }
}
