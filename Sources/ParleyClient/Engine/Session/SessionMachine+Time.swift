internal import ClientTransport
internal import ParleyProtocol

/// Handling of time.
extension SessionMachine {
  private static let longestDrainWait: Int64 = 600_000
  /// How long the answers may take that all calls wait for, however patient those are.
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
    let verdict = session.liveness.judge(at: moment.now)
    state = .open(session)
    switch verdict {
    case .alive: break
    case .pingDue: actions.append(.ping)
    case .lost: giveUp("no sign of life from the server", moment)
    }
  }

  /// The first connection took too long; the last attempt says why.
  private mutating func failFirst() {
    let reason = lastReason ?? .unreachable("no answer within the time allowed")
    abandonFirst(lastError ?? .connectionLost, because: reason)
  }

  private mutating func giveUp(_ reason: String, _ moment: Moment) {
    actions.append(.closeConnection(.dead))
    lose(Loss(.lost(reason), .after(0), error: .connectionFailed(reason)), moment)
  }

  /// The server names the moment at which this client should come back.
  mutating func noteDraining(_ params: JSONNode?, _ moment: Moment) {
    guard case .open(var session) = state else { return }
    let wait = params?["reconnect_after_ms"]?.integer ?? 0
    session.reconnectAt = moment.now + min(max(0, wait), Self.longestDrainWait)
    state = .open(session)
  }

  mutating func closeRequest() -> [UInt8] {
    var text: [UInt8] = []
    RPCRequest.append(to: &text, id: register(.close), method: "session.close") { _ in }
    return text
  }
}
