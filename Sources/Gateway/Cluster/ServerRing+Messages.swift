import Cluster
import ShardMessages

extension ServerRing {
  /// The bytes of a message from one server to another, in the highest version that both know.
  func encode(
    _ message: RelayedMessage, from sender: ClusterMember, for receiver: ServerID
  ) -> [UInt8] {
    let theirs = member(receiver)?.version ?? MessageVersion.current
    let common = min(theirs, sender.version, MessageVersion.current)
    return message.encoded(version: max(common, MessageVersion.oldest))
  }
}
