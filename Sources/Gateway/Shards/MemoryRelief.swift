/// Chooses the connections that are closed when all together hold too much: the largest of all shards
/// first, until enough goes.
struct MemoryRelief<Name: Sendable> {
  /// A connection that holds something.
  struct Holder: Sendable {
    let name: Name
    let shard: Int
    let byteCount: Int
  }

  /// Connections that each shard names; the more go in the next round.
  static var holdersPerShard: Int { 16 }

  private let excess: Int
  private var awaitedCount: Int
  private var holders: [Holder] = []

  /// - Parameters:
  ///   - excess: How many bytes are to go.
  ///   - shards: How many shards name their largest holders.
  init(excess: Int, shards: Int) {
    self.excess = excess
    awaitedCount = shards
  }

  /// Adds the largest holders of a shard.
  ///
  /// - Returns: The connections to close, once all shards have named theirs.
  mutating func add(_ largest: [Holder]) -> [Holder]? {
    holders += largest
    awaitedCount -= 1
    guard awaitedCount == 0 else { return nil }
    var rest = excess
    return holders.sorted { $0.byteCount > $1.byteCount }.prefix { holder in
      defer { rest -= holder.byteCount }
      return rest > 0
    }
  }
}
