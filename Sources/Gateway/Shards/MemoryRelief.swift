/// Chooses the connections to close when all together hold too much memory: the largest of all shards
/// first, until enough is released.
struct MemoryRelief<Name: Sendable> {
  /// A connection that holds memory.
  struct Holder: Sendable {
    let name: Name
    let shard: Int
    let byteCount: Int
  }

  /// The number of connections that each shard reports.
  ///
  /// Further ones are closed in the next round.
  static var holdersPerShard: Int { 16 }

  private let excess: Int
  private var awaitedCount: Int
  private var holders: [Holder] = []

  /// - Parameters:
  ///   - excess: The bytes to release.
  ///   - shards: The number of shards that report their largest holders.
  init(excess: Int, shards: Int) {
    self.excess = excess
    awaitedCount = shards
  }

  /// Adds the largest holders of a shard.
  ///
  /// - Returns: The connections to close, once all shards have reported theirs.
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
