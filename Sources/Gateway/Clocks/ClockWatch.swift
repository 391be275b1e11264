import Channels
import Reactor

/// Looks at the clock once a second, and has a shard follow its steps.
///
/// Timers run on the steady clock, so what ends at a time of the wall clock is looked at again after a
/// step. The first shard keeps the record for all.
final class ClockWatch: TimerHandler {
  /// Milliseconds between two looks: after this time sessions are closed whose tokens a step has ended.
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
  /// Looks again at everything that ends at a time of the wall clock.
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
