/// The shards of this process, and who is at home where.
struct ShardSet: Sendable {
  let handles: [ShardHandle]

  init(_ handles: [ShardHandle]) {
    self.handles = handles
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

  /// Has the same done on every shard.
  func postToAll(_ job: @escaping ShardHandle.Job) {
    for shard in handles { shard.post(job) }
  }

  /// FNV-1a: the same in every process, so that homes don't move when one restarts.
  private static func hash(_ text: String) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01b3 }
    return Int(truncatingIfNeeded: hash >> 1)
  }
}
