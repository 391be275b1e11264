internal import ParleyProtocol

/// Handling of time.
extension SessionMachine {
  private static let longestDrainWait: Int64 = 600_000
  /// A server announces the expiry of a token one minute before.
  private static let longestNotice: Int64 = 600_000
  /// The time limit of the responses that all calls wait for, whatever their own limits.
  private static let longestOpening: Int64 = 15_000

  var openingPatience: Int64 { min(settings.requestTimeout, Self.longestOpening) }

  mutating func passTime(_ moment: Moment) {
    expireCalls(moment)
    if case .first(_, let deadline) = goal, deadline <= moment.now {
      return failFirst()
    }
    guard (requests.count - 100) / 2 <= settings.maximumPendingCalls else {
      return giveUp("the server leaves requests unanswered", moment)
    }
    switch state {
    case .disconnected, .connecting: break
    case .pausing(let until): if until <= moment.now { connect() }
    case .opening(let deadline):
      if deadline <= moment.now { giveUp("session.open was not answered", moment) }
    case .leaving(let deadline, _):
      guard deadline <= moment.now else { return }
      actions.append(.closeConnection(.finished))
      finish(.requested, error: .cancelled)
    case .open(let session): passTime(session, moment)
    }
  }

  private mutating func passTime(_ session: OpenSession, _ moment: Moment) {
    var session = session
    if let deadline = session.entering.values.min(), deadline <= moment.now {
      return giveUp("channel.enter was not answered", moment)
    }
    if let reconnectAt = session.reconnectAt, reconnectAt + Self.drainPatience <= moment.now {
      actions.append(.closeConnection(.goingAway))
      return lose(Loss(.serverDraining, .after(0)), moment)
    }
    if let expiry = session.expiry, expiry.due <= moment.now {
      session.expiry = nil
      deliver(
        .notification(method: EventName.sessionExpiring.rawValue, params: expiry.notice))
    }
    let verdict = session.liveness.judge(at: moment.now)
    state = .open(session)
    switch verdict {
    case .alive: break
    case .pingDue: actions.append(.ping)
    case .lost: giveUp("no sign of life from the server", moment)
    }
  }

  /// Fails the first connection after its time limit, with the reason of the last attempt.
  private mutating func failFirst() {
    let reason = lastReason ?? .unreachable("no answer within the time allowed")
    abandonFirst(lastError ?? .connectionLost, because: reason)
  }

  private mutating func giveUp(_ reason: String, _ moment: Moment) {
    actions.append(.closeConnection(.dead))
    lose(Loss(.lost(reason), .after(0), error: .connectionFailed(reason)), moment)
  }

  /// Records the time at which the server asks this client to reconnect.
  mutating func noteDraining(_ params: JSONNode?, _ moment: Moment) {
    guard case .open(var session) = state else { return }
    let wait = params?["reconnect_after_ms"]?.integer ?? 0
    session.reconnectAt = moment.now + min(max(0, wait), Self.longestDrainWait)
    state = .open(session)
  }

  /// Delays the notice that the token expires until two thirds of the token's time have passed.
  ///
  /// The server announces the expiry of a token with a lifetime of seconds immediately. An
  /// application that answers each notice with another such token would fetch tokens continuously.
  mutating func holdsExpiry(_ params: JSONNode?, _ moment: Moment) -> Bool {
    guard case .open(var session) = state, let params, let end = params["expires_at"]?.integer,
      let time = params["ts"]?.integer, time >= 0, end > time, end - time <= Self.longestNotice
    else { return false }
    let given = max(tokenTime, moment.now - Self.longestNotice)
    let due = given + (moment.now + (end - time) - given) * 2 / 3
    guard due > moment.now else { return false }
    session.expiry = (params, due)
    state = .open(session)
    return true
  }

  mutating func closeRequest() -> [UInt8] {
    RPCRequest.encoded(id: register(.close), method: "session.close") { _ in }
  }
}

/// Distinguishes a quiet server from a dead connection.
///
///     last bytes ──── 1.5 × ping interval ────► ping ──── 10 s ────► lost
///     request ─────── 2.5 s without bytes ────► ping ────  5 s ────► lost
///
/// A request without any bytes after it triggers an earlier check, so that the request can be sent
/// again on another connection before its caller's time limit passes.
///
/// Times are milliseconds of a monotonic clock.
struct Liveness: Sendable, Hashable {
  /// The action that is due.
  enum Verdict: Sendable, Hashable {
    case alive
    case pingDue
    case lost
  }

  /// The time limit for any bytes after a ping.
  static let patience: Int64 = 10_000
  private static let patienceAfterRequest: Int64 = 5000
  private static let quietAfterRequest: Int64 = 2500
  private static let shortestQuiet: Int64 = 1000
  private static let longestQuiet: Int64 = 600_000

  private let quiet: Int64
  private var lastReceived: Int64
  private var pinged: Int64?
  /// The time of the first request after which no bytes have arrived.
  private var asked: Int64?

  /// - Parameter pingInterval: The server's ping interval, as announced by the server.
  init(pingInterval: Int64, now: Int64) {
    let interval = min(max(pingInterval, 0), Self.longestQuiet)
    quiet = min(max(interval + interval / 2, Self.shortestQuiet), Self.longestQuiet)
    lastReceived = now
  }

  /// Records that bytes arrived.
  mutating func receive(at now: Int64) {
    lastReceived = now
    pinged = nil
    asked = nil
  }

  /// Records that a request was written.
  mutating func ask(at now: Int64) {
    if asked == nil { asked = now }
  }

  /// The time of the next check.
  var deadline: Int64 {
    guard let pinged else {
      return min(lastReceived + quiet, asked.map { $0 + Self.quietAfterRequest } ?? .max)
    }
    // A ping sent before the request keeps its deadline, but gets at most one full wait from now.
    let afterRequest = asked.map { max($0, pinged) + Self.patienceAfterRequest }
    return min(pinged + Self.patience, afterRequest ?? .max)
  }

  /// Returns the action that is due; a ping that is due counts as sent.
  mutating func judge(at now: Int64) -> Verdict {
    guard now >= deadline else { return .alive }
    guard pinged == nil else { return .lost }
    pinged = now
    return .pingDue
  }
}
