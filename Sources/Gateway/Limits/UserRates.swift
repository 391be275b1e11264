import FloodControl
import Synchronization

/// Counts the calls of users, on all shards of this server together.
final class UserRates: Sendable {
  private struct State {
    var rate: CallRate
    var buckets: [String: TokenBucket] = [:]
  }

  private let state: Mutex<State>

  /// Above this number of users, those without recent calls are forgotten.
  private static let usualCount = 1_000

  /// - Parameter burst: Calls that may arrive at once after a pause; `nil` for as many as in a second.
  init(perSecond limit: Int, burst: Int? = nil) {
    state = Mutex(State(rate: Self.rate(perSecond: limit, burst: burst)))
  }

  /// Adopts another rate; what users have spent still counts.
  func adopt(perSecond limit: Int, burst: Int? = nil) {
    state.withLock { $0.rate = Self.rate(perSecond: limit, burst: burst) }
  }

  private static func rate(perSecond limit: Int, burst: Int?) -> CallRate {
    CallRate(callsPerSecond: limit, burst: burst ?? limit)
  }

  /// Counts a call, or returns the milliseconds until the next call is allowed.
  ///
  /// - Parameter now: Milliseconds of a steady clock.
  func admit(_ userID: String, at now: Int64) -> Int64? {
    state.withLock { state in
      let rate = state.rate
      guard !rate.isOff else { return nil }
      let wait = state.buckets[userID, default: TokenBucket()].take(at: now, rate: rate)
      if state.buckets.count > Self.usualCount, state.buckets.count.nonzeroBitCount == 1 {
        state.buckets = state.buckets.filter { !$0.value.isFull(at: now, rate: rate) }
      }
      return wait
    }
  }

  /// Charges calls beyond those that were admitted; they may leave a debt.
  func charge(_ userID: String, calls: Int64, at now: Int64) {
    state.withLock { state in
      state.buckets[userID, default: TokenBucket()].charge(calls, at: now, rate: state.rate)
    }
  }

  /// Refunds a call that was counted.
  func giveBack(_ userID: String) {
    state.withLock { $0.buckets[userID]?.giveBack() }
  }
}
