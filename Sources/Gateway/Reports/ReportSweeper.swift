import Channels
import Configuration
import Logging
import Reactor
import Store

/// Counts the open reports for the metrics, and removes closed ones that are older than
/// `store.retention_days`, on the first shard.
///
/// Waits after a start and after a step of the clock before it removes any (``DeletionHold``).
final class ReportSweeper: TimerHandler {
  /// The time between two sweeps, in milliseconds.
  private static let interval: Int64 = 60_000

  private unowned let shard: Shard

  init(on shard: Shard) {
    self.shard = shard
    sweep()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) { sweep() }

  private func sweep() {
    let services = shard.services
    services.store.perform(OpenAbuseReports()) { result in
      // The number of the last count stays.
      if case .success(let count) = result { services.reports.note(openCount: count) }
    }
    removeOld()
    _ = shard.loop.schedule(after: Self.interval, self)
  }

  /// Removes some; the next sweep removes more.
  private func removeOld() {
    let services = shard.services
    guard let age = services.settings.store.reportLifetime,
      services.deletionHold.rest(forAge: age, at: services.now) == 0
    else { return }
    let expiry = AbuseReportExpiry(closedBefore: services.now.unix - age)
    services.store.perform(expiry) { result in
      if case .failure(let error) = result, error != .closed {
        services.logger.warning(
          "closed reports past store.retention_days could not be removed; the next try is in a minute",
          metadata: ["reason": "\(error)"])
      }
    }
  }
}
