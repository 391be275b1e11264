import Channels
import Configuration
import Logging
import ParleyProtocol
import Reactor
import Store

/// Keeps the index of search behind the messages, on the first shard: adds those that have come within
/// parts of a second, and otherwise older ones until none are left.
///
/// Of several servers, each looks after its own messages; they take turns in the store. A step looks at the
/// ids of the last seconds again, and from time to time farther back: see ``SearchIndexing``.
final class SearchIndexer: TimerHandler {
  /// Times in milliseconds.
  private enum Pause {
    /// Between two looks for messages.
    static let look: Int64 = 200
    /// After a step that left messages, for other writes; longer steps are followed by twice their time, so that
    /// the index takes up to a third of the time of a writer when more messages come than it can follow.
    static let step: Int64 = 5
    /// The same for older messages.
    static let oldStep: Int64 = 15
    static let failure: Int64 = 10_000
    /// Between two looks that reach back to all ids that may still come.
    static let thorough: Int64 = 10_000
    /// Between two measurements of the size, which read all of the index.
    static let measurement: Int64 = 3_600_000
  }

  /// The age of ids that a usual look reaches back to, in milliseconds.
  private static let recentAge: Int64 = 3_000
  /// The same for the step after one that left messages, counted from the newest one in the index.
  private static let overlap: Int64 = 250

  /// The changes of the store that this server knows of.
  private struct Activity: Equatable {
    var newestTime: Int64?
    var jobCount = 0
  }

  private unowned let shard: Shard
  /// The age of ids in milliseconds from which on none appear.
  private let settledAge: Int64
  /// Whether texts change in the index only by steps.
  private let followsChanges: Bool
  /// The state at the last look that left nothing.
  private var known: Activity?
  private var lastThorough: Int64?
  private var lastMeasurement: Int64?
  /// The time in milliseconds until which messages may become visible after others.
  private var unsettledUntil: Int64 = .max
  private var isBuilding = true
  /// The part in progress.
  private var part = SearchIndexing.Part.old
  /// The time in milliseconds at which it began.
  private var partStart: Int64 = 0
  /// The id at which the next step continues after a usual look that left messages: a look at the last seconds
  /// takes long when many messages come.
  private var continuation: Int64?

  /// - Returns: `nil` without search.
  init?(on shard: Shard) {
    guard shard.settings.search.mode == .on else { return nil }
    self.shard = shard
    settledAge = shard.services.network == nil ? 10_000 : 60_000
    followsChanges = shard.settings.store.url != nil
    advance()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) { advance() }

  private var activity: Activity {
    Activity(
      newestTime: shard.services.messageIDs.newestTime,
      jobCount: followsChanges ? shard.services.store.statistics.jobCount : 0)
  }

  private func advance() {
    let (now, activity) = (shard.services.now.unix, activity)
    let isThorough = lastThorough.map { now - $0 >= Pause.thorough || now < $0 } ?? true
    if activity != known || (isThorough && now < unsettledUntil) {
      if activity != known { unsettledUntil = now + settledAge + Pause.thorough }
      known = activity
      if isThorough { lastThorough = now }
      let recent = continuation ?? MessageIDs.id(at: now - Self.recentAge)
      continuation = nil
      take(
        .new(
          recent: isThorough ? nil : recent, settled: MessageIDs.id(at: now - settledAge)))
    } else if isBuilding {
      take(.old)
    } else {
      if lastMeasurement.map({ now - $0 >= Pause.measurement || now < $0 }) ?? true {
        lastMeasurement = now
        measure()
      }
      schedule(after: Pause.look)
    }
  }

  /// Measures the index for metrics, once it is built.
  private func measure() {
    let services = shard.services
    services.store.perform(SearchStatusQuery(), for: .server) { result, _ in
      if case .success(let status) = result { services.searches.adopt(status) }
    }
  }

  private func take(_ part: SearchIndexing.Part) {
    self.part = part
    partStart = shard.services.now.unix
    let path = shard.returnPath
    shard.services.store.perform(SearchIndexing(part)) { result in
      path.resume { $0.searchIndexer?.didIndex(result) }
    }
  }

  private func didIndex(_ result: Result<SearchIndexing.Outcome, StoreError>) {
    switch result {
    case .success(let outcome):
      let searches = shard.services.searches
      searches.didIndex(
        count: outcome.count,
        since: outcome.hasMore ? MessageIDs.time(of: outcome.newestID) : nil)
      guard !outcome.isBusy else {
        known = nil
        return schedule(after: Pause.look)
      }
      isBuilding = outcome.isBuilding
      switch part {
      case .new(let recent, _):
        if outcome.hasMore, recent != nil,
          let newest = MessageIDs.time(of: outcome.newestID)
        {
          continuation = MessageIDs.id(at: newest - Self.overlap)
        }
        guard outcome.hasMore else { return schedule(after: isBuilding ? 1 : Pause.look) }
        known = nil
        schedule(after: max(Pause.step, 2 * min(shard.services.now.unix - partStart, Pause.look)))
      case .old: schedule(after: isBuilding ? Pause.oldStep : Pause.look)
      }
    case .failure(.closed): break
    case .failure(let error):
      shard.services.logger.warning(
        "messages could not be added to the index of search; the next try is in 10 seconds",
        metadata: ["reason": "\(error)"])
      known = nil
      schedule(after: Pause.failure)
    }
  }

  /// Builds the index again, from the newest message on.
  func restart(_ answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    let path = shard.returnPath
    shard.services.store.perform(SearchRestart()) { result in
      path.resume { shard in
        shard.searchIndexer?.isBuilding = true
        answer(result)
      }
    }
  }

  private func schedule(after delay: Int64) { _ = shard.loop.schedule(after: delay, self) }
}
