import FloodControl
import Synchronization

/// Counts what users ask for, on all shards of this server together.
final class UserRates: Sendable {
  private let rate: CallRate
  private let buckets = Mutex<[String: TokenBucket]>([:])

  /// With more users than this, those that have not asked for a while are forgotten.
  private static let usualCount = 1_000

  /// - Parameter burst: Calls that may come at once after a pause; `nil` for those of a second.
  init(perSecond limit: Int, burst: Int? = nil) {
    rate = CallRate(callsPerSecond: limit, burst: burst ?? limit)
  }

  /// Counts a call, or says how many milliseconds there are until the next may come.
  ///
  /// - Parameter now: Milliseconds of a steady clock.
  func admit(_ userID: String, at now: Int64) -> Int64? {
    guard !rate.isOff else { return nil }
    return buckets.withLock { buckets in
      let wait = buckets[userID, default: TokenBucket()].take(at: now, rate: rate)
      if buckets.count > Self.usualCount, buckets.count.nonzeroBitCount == 1 {
        buckets = buckets.filter { !$0.value.isFull(at: now, rate: rate) }
      }
      return wait
    }
  }

  /// Charges calls beyond those that were admitted; they may leave a debt.
  func charge(_ userID: String, calls: Int64, at now: Int64) {
    buckets.withLock { $0[userID, default: TokenBucket()].charge(calls, at: now, rate: rate) }
  }

  /// Takes back what a call was counted for.
  func giveBack(_ userID: String) {
    buckets.withLock { $0[userID]?.giveBack() }
  }
}
