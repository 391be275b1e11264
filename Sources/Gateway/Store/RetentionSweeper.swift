import Basics
import Channels
import Configuration
import Logging
import Reactor
import Store
import Telemetry

/// Removes messages that are older than `store.retention_days`, on the first shard.
///
/// Waits after a start and after a step of the clock (``DeletionHold``), even in the middle of a pass.
/// Several servers may sweep at the same time: each skips what another one holds.
final class RetentionSweeper: TimerHandler {
  /// The time from the end of a pass to the next, in milliseconds.
  private static let interval: Int64 = 3_600_000
  /// The pause between two removals, for other writes, in milliseconds.
  private static let pause: Int64 = 20

  private unowned let shard: Shard
  private let age: Int64
  /// Messages before this time are removed.
  ///
  /// Unix milliseconds.
  private var horizon: Int64 = 0
  private var pass: RetentionPass?

  /// - Returns: `nil` when messages are kept forever.
  init?(on shard: Shard) {
    guard let age = shard.settings.store.messageLifetime else { return nil }
    self.shard = shard
    self.age = age
    begin()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    if pass == nil { begin() } else { advance() }
  }

  private func begin() {
    let now = shard.services.now
    let hold = shard.services.deletionHold.rest(forAge: age, at: now)
    guard hold == 0 else { return schedule(after: hold) }
    horizon = now.unix - age
    pass = RetentionPass()
    advance()
  }

  private func advance() {
    guard let pass else { return }
    let hold = shard.services.deletionHold.rest(forAge: age, at: shard.services.now)
    guard hold == 0 else { return end(pass, next: hold) }
    let path = shard.returnPath
    switch pass.step {
    case .find(let position):
      let query = ExpiryQuery(after: position, olderThan: horizon)
      shard.services.store.perform(query, for: .server) { result, _ in
        path.resume { $0.retentionSweeper?.didFind(result) }
      }
    case .remove(let channelID):
      let expiry = MessageExpiry(of: channelID, olderThan: horizon)
      shard.services.store.perform(expiry) { result in
        path.resume { $0.retentionSweeper?.didRemove(result, of: expiry.limit) }
      }
    case .end: end(pass, next: Self.interval)
    }
  }

  /// Ends a pass, and logs what it has removed.
  private func end(_ pass: RetentionPass, next delay: Int64) {
    self.pass = nil
    if pass.removedCount > 0 {
      shard.services.logger.notice(
        "removed messages past store.retention_days",
        metadata: [
          "messages": "\(pass.removedCount)", "before": "\(UTCTime.format(horizon))",
          "is_complete": "\(pass.isComplete)",
        ])
    }
    schedule(after: delay)
  }

  private func didFind(_ result: Result<ExpiryQuery.Page, StoreError>) {
    switch result {
    case .success(let page):
      pass?.didFind(page)
      advance()
    case .failure(let error): giveUp(error)
    }
  }

  private func didRemove(_ result: Result<Int, StoreError>, of limit: Int) {
    switch result {
    case .success(let count):
      pass?.didRemove(count, of: limit)
      shard.counters.add(UInt64(count), to: .messagesExpired)
      schedule(after: Self.pause)
    case .failure(let error): giveUp(error)
    }
  }

  /// Leaves the rest of the pass to a later one.
  private func giveUp(_ error: StoreError) {
    if case .closed = error { return }
    defer { if let pass { end(pass, next: Self.interval) } }
    shard.services.logger.warning(
      "messages past store.retention_days could not be removed; the next try is in an hour",
      metadata: ["reason": "\(error)"])
  }

  private func schedule(after delay: Int64) { _ = shard.loop.schedule(after: delay, self) }
}

extension StoreSettings {
  /// The age at which messages are removed, in milliseconds; `nil` when they are kept.
  var messageLifetime: Int64? { retentionDays > 0 ? Int64(retentionDays) * 86_400_000 : nil }
}
