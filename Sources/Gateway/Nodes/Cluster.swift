/// The nodes of this process, and who is at home where.
struct Cluster: Sendable {
  let nodes: [NodeHandle]

  /// The node on which a channel's state lives.
  func home(ofChannel url: String) -> NodeHandle {
    nodes[Self.hash(url) % nodes.count]
  }

  /// The node that keeps a user's sessions and channels together.
  func home(ofUser id: String) -> NodeHandle {
    nodes[Self.hash(id) % nodes.count]
  }

  /// Has the same done on every node.
  func postToAll(_ job: @escaping NodeHandle.Job) {
    for node in nodes { node.post(job) }
  }

  /// FNV-1a: the same in every process, so that homes don't move when one restarts.
  private static func hash(_ text: String) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01b3 }
    return Int(truncatingIfNeeded: hash >> 1)
  }
}
