import Crypto
import FloodControl
import Store
import Synchronization

/// Counts the calls made with each token of the Platform API, on all shards of this server together.
///
/// Only tokens that may pass are counted, and one that is revoked is forgotten, so there are hardly
/// more entries than such tokens.
final class TokenRates: Sendable {
  private let rate: CallRate
  private let buckets = Mutex<[[UInt8]: TokenBucket]>([:])

  init(_ rate: CallRate) {
    self.rate = rate
  }

  /// Counts a call, or says how many milliseconds there are until the next may come.
  ///
  /// - Parameter now: Milliseconds of a steady clock.
  func admit(_ token: TokenDigest, at now: Int64) -> Int64? {
    buckets.withLock { $0[token.bytes, default: TokenBucket()].take(at: now, rate: rate) }
  }

  /// Charges what a query has cost beyond its call.
  func charge(_ token: TokenDigest, _ cost: QueryCost, at now: Int64) {
    let calls = CallBudget.extraCalls(forReaderNanoseconds: cost.nanoseconds)
    buckets.withLock { $0[token.bytes]?.charge(calls, at: now, rate: rate) }
  }

  /// How many milliseconds there are until the next call may come; `nil` when it may come now.
  func wait(for token: TokenDigest, at now: Int64) -> Int64? {
    buckets.withLock { buckets in
      var bucket = buckets[token.bytes] ?? TokenBucket()
      return bucket.take(at: now, rate: rate)
    }
  }

  /// Forgets a token that was revoked.
  func forget(_ token: TokenDigest) {
    buckets.withLock { $0[token.bytes] = nil }
  }
}
