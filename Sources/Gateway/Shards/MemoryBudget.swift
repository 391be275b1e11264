import Synchronization

/// Compares the memory held by the connections of all shards with the budget of the process.
///
/// Each shard publishes its own total at the end of a turn. Adding the totals is one load per shard.
final class MemoryBudget: Sendable {
  private final class Share: Sendable {
    let byteCount = Atomic(0)
  }

  private let mostBytes: Atomic<Int>
  private let shares: [Share]
  private let isBeingRelieved = Atomic(false)

  /// - Parameter limit: The limit in bytes; 0 means no limit, until settings are loaded.
  init(limit: Int, shards: Int) {
    mostBytes = Atomic(Self.bytes(of: limit))
    shares = (0..<shards).map { _ in Share() }
  }

  /// The limit in bytes.
  var limit: Int { mostBytes.load(ordering: .relaxed) }

  /// Adopts a new limit.
  ///
  /// Memory beyond the limit is released when a shard ends its turn.
  func adopt(limit: Int) { mostBytes.store(Self.bytes(of: limit), ordering: .relaxed) }

  private static func bytes(of limit: Int) -> Int { limit > 0 ? limit : .max }

  /// Records the memory held by a shard's connections.
  func publish(_ byteCount: Int, of shard: Int) {
    shares[shard].byteCount.store(byteCount, ordering: .relaxed)
  }

  /// The memory held by the connections of all shards, in bytes.
  var byteCount: Int { shares.reduce(0) { $0 + $1.byteCount.load(ordering: .relaxed) } }

  /// Whether the connections hold more memory than the budget.
  var isExceeded: Bool { byteCount > limit }

  /// Begins to close connections, unless that is already running or not needed.
  ///
  /// - Returns: The bytes to release; ``endRelief()`` must follow. `nil` when nothing is to be released.
  func beginRelief() -> Int? {
    guard isExceeded,
      isBeingRelieved.compareExchange(
        expected: false, desired: true, ordering: .acquiringAndReleasing
      ).exchanged
    else { return nil }
    return max(byteCount - limit, 1)
  }

  /// Allows the next relief, once the memory that was released is published.
  func endRelief() {
    isBeingRelieved.store(false, ordering: .releasing)
  }
}
