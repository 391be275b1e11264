import Channels
import Reactor

/// Checks the clock once a second, and makes a shard follow the clock's steps.
///
/// Timers run on the steady clock, so everything that ends at a wall-clock time is checked again
/// after a step. The first shard keeps the record for all shards.
final class ClockWatch: TimerHandler {
  /// Milliseconds between two checks, and until sessions whose tokens a step expired are closed.
  private static let interval: Int64 = 1_000

  private unowned let shard: Shard
  private var steps: ClockSteps

  init(on shard: Shard) {
    self.shard = shard
    steps = ClockSteps(at: shard.services.now)
    schedule()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    let (services, now) = (shard.services, shard.services.now)
    let step = steps.look(at: now)
    if shard.handle.index == 0 { services.noteClock(step: step, at: now) }
    if step != nil { shard.followClock() }
    schedule()
  }

  private func schedule() { _ = shard.loop.schedule(after: Self.interval, self) }
}

extension Shard {
  /// Checks everything that ends at a wall-clock time again.
  fileprivate func followClock() {
    for session in sessions.all { session.followClock() }
    fileKeyRenewal?.renew()
  }
}

extension GatewayServices {
  fileprivate func noteClock(step: Int64?, at now: Moment) {
    let hold = deletionHold.rest(at: now)
    if let step { clockRecord.note(step: step, hold: hold, logger: logger) }
    clockRecord.note(lag: clockLag(at: now.unix), logger: logger)
  }
}
