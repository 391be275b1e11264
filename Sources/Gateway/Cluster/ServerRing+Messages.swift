import Cluster
import ShardMessages

extension ServerRing {
  /// The bytes of a message for another server, in the highest version that both know.
  func encode(_ message: RelayedMessage, for server: ServerID) -> [UInt8] {
    let theirs = member(server)?.version ?? MessageVersion.current
    return message.encoded(
      version: max(min(theirs, MessageVersion.current), MessageVersion.oldest))
  }
}
