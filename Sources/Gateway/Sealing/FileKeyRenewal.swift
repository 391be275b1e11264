import Reactor

/// Sends the sessions of a shard other keys for files before theirs end.
///
/// One round for all sessions: keys hold for days, and a timer for each session would take room.
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

  /// Sends other keys in place of those that end soon.
  func renew() {
    let now = shard.services.clock.now
    for session in shard.sessions.all { session.renewFileKeyIfDue(at: now) }
  }

  /// Short lives are looked at more often.
  private func schedule() {
    let pause = min(Self.interval, max(shard.services.vault.userKeys.renewalTime / 5, 250))
    _ = shard.loop.schedule(after: pause, self)
  }
}
