import ParleyProtocol
import Reactor
import Transport

extension Session: TimerHandler {
  /// What the session's one timer is for.
  enum Deadline {
    /// `session.open` must have come.
    case open
    /// The client is told that its token expires. Unix milliseconds.
    case expiring(at: Int64)
    case expired
  }

  /// How long before its token expires a client is told.
  private static let warningTime: Int64 = 60_000

  func timerDidFire(_ token: EventLoop.TimerToken) {
    guard token == timer else { return }
    timer = nil
    switch deadline {
    case .open: close(.openTimeout, reason: "no session.open in time")
    case .expiring(let expiry): warn(of: expiry)
    case .expired: close(.unauthorized, reason: "the access token has expired")
    }
  }

  func setTimer(_ deadline: Deadline, after delay: Int64) {
    cancelTimer()
    self.deadline = deadline
    timer = shard.loop.schedule(after: delay, self)
  }

  func cancelTimer() {
    if let timer { shard.loop.cancel(timer) }
    timer = nil
  }

  /// Waits for the end of a token; `nil` for one that does not expire.
  func awaitExpiry(at expiry: Int64?) {
    guard let expiry else {
      cancelTimer()
      return
    }
    let rest = expiry - shard.services.clock.now
    setTimer(.expiring(at: expiry), after: rest - Self.warningTime)
  }

  private func warn(of expiry: Int64) {
    let now = shard.services.clock.now
    let event = Event.sessionExpiring(Event.Expiry(expiresAt: expiry))
    send(event.notification(from: .session(at: now)))
    setTimer(.expired, after: expiry - now)
  }
}
