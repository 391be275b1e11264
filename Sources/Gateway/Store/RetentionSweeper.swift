import Basics
import Channels
import Configuration
import Logging
import Reactor
import Store
import Telemetry

/// Removes messages past their retention, on the first shard: those of all channels every hour, and those of
/// channels with a time of their own every minute.
///
/// Waits after a start and after a step of the clock (``DeletionHold``), even in the middle of a pass.
/// Several servers may sweep at the same time: each skips what another one holds.
final class RetentionSweeper: TimerHandler {
  /// The time from a pass over all channels to the next, in milliseconds.
  private static let interval: Int64 = 3_600_000
  /// The same for channels with a time of their own.
  private static let shortInterval: Int64 = 60_000
  /// The pause between two removals, for other writes, in milliseconds.
  private static let pause: Int64 = 20

  private unowned let shard: Shard
  private var pass: RetentionPass?
  /// When the last pass over all channels began, in milliseconds of the steady clock.
  private var lastFullPass: Int64?

  init(on shard: Shard) {
    self.shard = shard
    begin()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    if pass == nil { begin() } else { advance() }
  }

  private var rules: RetentionRules { shard.services.settings.store.retentionRules }

  private func begin() {
    let now = shard.services.now
    let isDue = lastFullPass.map { now.monotonic - $0 >= Self.interval } ?? true
    if isDue, !rules.keepsAll, rest(forAge: rules.shortestLifetime) == 0 {
      lastFullPass = now.monotonic
      pass = RetentionPass(over: .all)
    } else {
      pass = RetentionPass(over: .withOwnTime)
    }
    advance()
  }

  /// The milliseconds until messages of an age may be removed.
  private func rest(forAge age: Int64?) -> Int64 {
    shard.services.deletionHold.rest(forAge: age ?? .max, at: shard.services.now)
  }

  private func advance() {
    guard let pass else { return }
    let path = shard.returnPath
    switch pass.step {
    case .find(let position):
      let query = ExpiryQuery(
        pass.scope, by: rules, after: position, at: shard.services.now.unix)
      shard.services.store.perform(query, for: .server) { result, _ in
        path.resume { $0.retentionSweeper?.didFind(result) }
      }
    case .remove(let channel):
      guard rest(forAge: channel.lifetime) == 0 else {
        self.pass?.skip()
        return advance()
      }
      let expiry = MessageExpiry(of: channel)
      shard.services.store.perform(expiry) { result in
        path.resume { $0.retentionSweeper?.didRemove(result, of: expiry.limit) }
      }
    case .end: end(pass)
    }
  }

  /// Ends a pass, and logs what it has removed.
  private func end(_ pass: RetentionPass) {
    self.pass = nil
    if pass.removedCount > 0 {
      shard.services.logger.notice(
        "removed messages past their retention",
        metadata: ["messages": "\(pass.removedCount)", "is_complete": "\(pass.isComplete)"])
    }
    let hold = rules.keepsAll ? 0 : rest(forAge: rules.shortestLifetime)
    schedule(after: hold > 0 ? min(hold, Self.shortInterval) : Self.shortInterval)
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
    defer { if let pass { end(pass) } }
    shard.services.logger.warning(
      "messages past their retention could not be removed; a later pass tries again",
      metadata: ["reason": "\(error)"])
  }

  private func schedule(after delay: Int64) { _ = shard.loop.schedule(after: delay, self) }
}

extension StoreSettings {
  /// The age at which closed reports are removed, in milliseconds; `nil` when they are kept.
  var reportLifetime: Int64? { retentionDays > 0 ? Int64(retentionDays) * Self.day : nil }

  /// The rules by which messages are removed.
  var retentionRules: RetentionRules {
    var lifetimes = Dictionary(
      retention.map { ($0.customType, Int64($0.days) * Self.day) }, uniquingKeysWith: { $1 })
    let others = [lifetimes.removeValue(forKey: "*"), Int64(retentionDays) * Self.day]
    return RetentionRules(
      lifetimes: lifetimes, otherLifetime: others.compactMap(\.self).filter { $0 > 0 }.min() ?? 0,
      messageCount: keptMessageCount)
  }

  private static let day: Int64 = 86_400_000
}
