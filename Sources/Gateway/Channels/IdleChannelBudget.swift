/// Bounds the channels in memory that have no users and were only read.
///
/// They are checked each time the newly loaded channels amount to a quarter of the budget. The channels
/// idle for longest are then forgotten, to leave that much room for the next ones. A pure value.
struct IdleChannelBudget {
  /// A channel that may be forgotten.
  struct Channel {
    /// The channel's number on its shard.
    let number: UInt64
    /// When the channel was last used, in milliseconds.
    let lastUse: Int64
    /// The estimated bytes that the channel takes.
    let byteCount: Int
  }

  private let countLimit: Int
  private let byteLimit: Int
  private var loadedCount = 0
  private var loadedByteCount = 0

  init(countLimit: Int = 4_096, byteLimit: Int = 16_777_216) {
    self.countLimit = countLimit
    self.byteLimit = byteLimit
  }

  /// Whether enough channels were loaded for the idle ones to exceed the budget.
  var isDue: Bool { loadedCount >= countLimit / 4 || loadedByteCount >= byteLimit / 4 }

  /// Counts a channel that was loaded.
  mutating func noteLoaded(byteCount: Int) {
    loadedCount += 1
    loadedByteCount += byteCount
  }

  /// Chooses the channels to forget, and resets the counts.
  ///
  /// - Returns: The numbers of the channels, longest idle first.
  mutating func takeExcess(of channels: [Channel]) -> [UInt64] {
    (loadedCount, loadedByteCount) = (0, 0)
    var count = channels.count - (countLimit - countLimit / 4)
    var byteCount = channels.reduce(0) { $0 + $1.byteCount } - (byteLimit - byteLimit / 4)
    guard count > 0 || byteCount > 0 else { return [] }
    let oldest = channels.sorted { ($0.lastUse, $0.number) < ($1.lastUse, $1.number) }
    return oldest.prefix { channel in
      guard count > 0 || byteCount > 0 else { return false }
      count -= 1
      byteCount -= channel.byteCount
      return true
    }.map(\.number)
  }
}
