import Channels
import Reactor
import Store
import Synchronization
import Telemetry

/// Counts the groups in the store from time to time, on the first shard, so that reading the metrics
/// reads no rows.
///
/// Several servers count independently: each shows the groups of the deployment.
final class GroupCensus: TimerHandler {
  /// The time from the end of a count to the next, in milliseconds.
  private static let interval: Int64 = 600_000
  /// The pause between two pieces, for other queries, in milliseconds.
  private static let pause: Int64 = 20

  private unowned let shard: Shard
  private var place: Int64 = 0
  private var count = 0

  init(on shard: Shard) {
    self.shard = shard
    proceed()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) { proceed() }

  private func proceed() {
    let path = shard.returnPath
    shard.services.store.perform(StoredGroups(after: place), for: .server) { result, _ in
      path.resume { $0.groupCensus?.take(result) }
    }
  }

  private func take(_ result: Result<StoredGroups.Outcome, StoreError>) {
    switch result {
    case .success(let piece):
      count += piece.count
      if let next = piece.next {
        place = next
        return schedule(after: Self.pause)
      }
      shard.services.storedGroups.set(count)
    // The number of the last count stays.
    case .failure: break
    }
    (place, count) = (0, 0)
    schedule(after: Self.interval)
  }

  private func schedule(after delay: Int64) { _ = shard.loop.schedule(after: delay, self) }
}

/// The number of groups in the store at the last count.
final class StoredGroupCount: Sendable {
  private let count = Atomic(-1)

  func set(_ count: Int) { self.count.store(count, ordering: .relaxed) }

  /// Empty before the first count.
  var samples: [MetricSample] {
    let count = count.load(ordering: .relaxed)
    return count < 0 ? [] : [MetricSample(.groups("stored"), .level(Int64(count)))]
  }
}
