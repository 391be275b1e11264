import Synchronization

/// Compares the memory that the connections of all shards hold with the budget of the process.
///
/// Each shard publishes its own total at the end of a turn; adding them up is a load for each shard.
final class MemoryBudget: Sendable {
  private final class Share: Sendable {
    let byteCount = Atomic(0)
  }

  private let mostBytes: Atomic<Int>
  private let shares: [Share]
  private let isBeingRelieved = Atomic(false)

  /// - Parameter limit: In bytes; 0 for none, as long as settings have not been loaded.
  init(limit: Int, shards: Int) {
    mostBytes = Atomic(Self.bytes(of: limit))
    shares = (0..<shards).map { _ in Share() }
  }

  /// In bytes.
  var limit: Int { mostBytes.load(ordering: .relaxed) }

  /// Adopts another limit; what is beyond it is relieved when a shard ends its turn.
  func adopt(limit: Int) { mostBytes.store(Self.bytes(of: limit), ordering: .relaxed) }

  private static func bytes(of limit: Int) -> Int { limit > 0 ? limit : .max }

  /// Takes note of what a shard's connections hold.
  func publish(_ byteCount: Int, of shard: Int) {
    shares[shard].byteCount.store(byteCount, ordering: .relaxed)
  }

  /// Bytes that the connections of all shards hold.
  var byteCount: Int { shares.reduce(0) { $0 + $1.byteCount.load(ordering: .relaxed) } }

  /// Whether they hold more than the budget.
  var isExceeded: Bool { byteCount > limit }

  /// Begins to close connections, unless that is under way or not needed.
  ///
  /// - Returns: How many bytes are to go; ``endRelief()`` must follow. `nil` for none.
  func beginRelief() -> Int? {
    guard isExceeded,
      isBeingRelieved.compareExchange(
        expected: false, desired: true, ordering: .acquiringAndReleasing
      ).exchanged
    else { return nil }
    return max(byteCount - limit, 1)
  }

  /// Lets the next relief begin, once what was closed is published.
  func endRelief() {
    isBeingRelieved.store(false, ordering: .releasing)
  }
}
