import Reactor

/// Sends new file keys to the sessions of a shard before the current keys expire.
///
/// One timer serves all sessions: keys are valid for days, and a timer per session would use memory.
final class FileKeyRenewal: TimerHandler {
  private static let interval: Int64 = 600_000

  private unowned let shard: Shard

  init(on shard: Shard) {
    self.shard = shard
    schedule()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    renew()
    schedule()
  }

  /// Sends new keys to sessions whose keys expire soon.
  func renew() {
    let now = shard.services.clock.now
    for session in shard.sessions.all { session.renewFileKeyIfDue(at: now) }
  }

  /// Keys with a short lifetime are checked more often.
  private func schedule() {
    let pause = min(Self.interval, max(shard.services.vault.userKeys.renewalTime / 5, 250))
    _ = shard.loop.schedule(after: pause, self)
  }
}
