import Channels
import Cluster
import ShardMessages

/// The shards of this process, the homes of channels and users on them, and the bus between them.
///
/// On one server the bus is the shards' mailboxes: a message is moved, never encoded.
struct ShardSet: Sendable {
  let handles: [ShardHandle]
  /// The way to other servers; `nil` on a server alone.
  let network: (any ClusterNetwork)?

  init(_ handles: [ShardHandle], network: (any ClusterNetwork)? = nil) {
    self.handles = handles
    self.network = network
  }

  var count: Int { handles.count }

  subscript(index: Int) -> ShardHandle { handles[index] }

  /// The shard on which a channel's state lives.
  func home(ofChannel url: String) -> ShardHandle {
    handles[Self.hash(url) % handles.count]
  }

  /// The shard that keeps a user's sessions and channels together.
  func home(ofUser id: String) -> ShardHandle {
    handles[Self.hash(id) % handles.count]
  }

  /// The shard that a message is addressed to.
  func receiver(of message: ShardMessage) -> ShardHandle {
    switch message {
    case .channel(let url, _): home(ofChannel: url)
    case .user(let id, _): home(ofUser: id)
    case .session(let address, _): handles[Int(address.shard)]
    case .exchange(let address, _): handles[Int(address.shard.shard)]
    case .shard(let address, _): handles[Int(address.shard)]
    }
  }

  /// Sends a message, after all that the caller's thread sent to the same shard before.
  ///
  /// A shard sends by ``Shard/send(_:)``, which keeps what is for itself.
  func send(_ message: ShardMessage) {
    receiver(of: message).post(.message(message))
  }

  /// The same for what a job of the store has brought: the store wakes the shards when its batch is
  /// answered.
  func enqueue(_ message: ShardMessage) {
    receiver(of: message).enqueue(.message(message))
  }

  /// Sends the same to every shard.
  func sendToAll(_ task: ShardTask) {
    for shard in handles { shard.post(.message(.shard(shard.address, task))) }
  }

  /// Sends the same to every shard of this process.
  func sendToAll(_ message: LocalMessage) {
    for shard in handles { shard.post(.local(message)) }
  }

  /// FNV-1a: the same in every process, so that homes don't move when one restarts.
  private static func hash(_ text: String) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01b3 }
    return Int(truncatingIfNeeded: hash >> 1)
  }
}
