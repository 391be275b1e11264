import ParleyProtocol
import Reactor
import Transport
import HTTP

extension Session: TimerHandler {
  /// The purpose of the session's one timer.
  enum Deadline {
    /// The time limit for `session.open`.
    case open
    /// Notifies the client that its token expires at this time, in Unix milliseconds.
    case expiring(at: Int64)
    /// Closes the session, after the notice, when its token expires at this time, in Unix milliseconds.
    case expired(at: Int64)
    /// Closes the session of an observer when its API token expires at this time, in Unix milliseconds.
    case tokenExpired(at: Int64)
  }

  /// The time from the notice to the expiry of the token, in milliseconds.
  private static let warningTime: Int64 = 60_000

  func timerDidFire(_ token: EventLoop.TimerToken) {
    guard token == timer else { return }
    timer = nil
    switch deadline {
    case .open: close(.openTimeout, reason: "no session.open in time")
    case .expiring(let expiry): warn(of: expiry)
    case .expired(let expiry): end(at: expiry)
    case .tokenExpired(let expiry): awaitTokenExpiry(at: expiry)
    }
  }

  /// Checks the expiry of the token again after a step of the clock.
  func followClock() {
    guard timer != nil else { return }
    switch deadline {
    case .open: break
    case .expiring(let expiry):
      if expiry > shard.services.clock.now { awaitExpiry(at: expiry) } else { end(at: expiry) }
    case .expired(let expiry): end(at: expiry)
    case .tokenExpired(let expiry): awaitTokenExpiry(at: expiry)
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

  /// Waits for the expiry of a token; `nil` for a token that does not expire.
  ///
  /// A session that was refreshed with the same token gets no second notice. Otherwise a client that
  /// answers each notice with its current token would cause the next notice.
  func awaitExpiry(at expiry: Int64?) {
    guard let expiry else {
      cancelTimer()
      return
    }
    if case .expired(expiry) = deadline, timer != nil { return }
    let rest = expiry - shard.services.clock.now
    setTimer(.expiring(at: expiry), after: rest - Self.warningTime)
  }

  /// Closes the session of an observer when its API token has expired, and otherwise waits for that.
  func awaitTokenExpiry(at expiry: Int64) {
    let rest = expiry - shard.services.clock.now
    guard rest <= 0 else { return setTimer(.tokenExpired(at: expiry), after: rest) }
    cancelTimer()
    close(.unauthorized, reason: "the API token has expired")
  }

  private func warn(of expiry: Int64) {
    let now = shard.services.clock.now
    let event = Event.sessionExpiring(Event.Expiry(expiresAt: expiry))
    send(event.notification(from: .session(at: now)))
    setTimer(.expired(at: expiry), after: expiry - now)
  }

  /// The last sign of life of a client whose connection was lost, in Unix milliseconds; `nil` when either
  /// side has closed the connection.
  ///
  /// Events that were sent after it may not have arrived.
  func lastSignOfLife(_ reason: ClosingReason) -> Int64? {
    switch reason {
    case .closed(.slowConsumer), .closed(.pongTimeout), .lost: break
    case .closed, .peerClosed, .protocolError: return nil
    }
    let silence = shard.loop.now - (connection.lastReceived ?? shard.loop.now)
    return shard.services.clock.now - silence
  }

  /// Closes the session when its token has expired, and otherwise waits for the expiry.
  private func end(at expiry: Int64) {
    let rest = expiry - shard.services.clock.now
    guard rest <= 0 else { return setTimer(.expired(at: expiry), after: rest) }
    cancelTimer()
    close(.unauthorized, reason: "the access token has expired")
  }
}

/// A pause in reading from a connection whose caller is in debt.
final class Silence: TimerHandler {
  private let loop: EventLoop
  private let over: () -> Void
  private var timer: EventLoop.TimerToken?

  /// - Parameters:
  ///   - duration: The duration in milliseconds.
  ///   - over: Called at the end, unless ``end()`` is called first.
  init(for duration: Int64, on loop: EventLoop, over: @escaping () -> Void) {
    self.loop = loop
    self.over = over
    timer = loop.schedule(after: duration, self)
  }

  /// Cancels the pause, because the connection is closed.
  func end() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    timer = nil
    over()
  }
}

/// The gateway's own close codes (RFC 6455 §7.4.2 leaves 4000 to 4999 to applications).
extension CloseCode {
  /// No session was opened in time.
  static let openTimeout = CloseCode(rawValue: 4001)
  /// The token is missing, wrong, expired or revoked, or the user is deactivated.
  static let unauthorized = CloseCode(rawValue: 4002)
  /// The user opened more sessions than allowed: this was its oldest.
  static let tooManySessions = CloseCode(rawValue: 4003)
  /// The unsent output exceeded the connection's limit.
  static let slowConsumer = CloseCode(rawValue: 4004)
  /// No data arrived in time after a ping.
  static let pongTimeout = CloseCode(rawValue: 4005)
}
