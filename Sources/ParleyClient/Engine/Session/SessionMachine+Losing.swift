/// The end of a connection, and of a session.
extension SessionMachine {
  /// The time limit of `session.close`.
  private static let closePatience: Int64 = 3000
  /// The time after the announced moment within which a server must close the connection.
  static let drainPatience: Int64 = 2000
  private static let longestServerWait: Int64 = 600_000

  /// Handles a connection that was lost or closed.
  mutating func lose(_ loss: Loss, _ moment: Moment) {
    switch state {
    case .disconnected, .pausing: return
    case .leaving: return finish(.requested, error: .cancelled)
    case .connecting, .opening, .open: break
    }
    leaveChannels(loss)
    requests = [:]
    completeExits()
    dropUnrepeatable(loss, moment)
    let wait = wait(after: loss, moment)
    switch loss.comeBack {
    case .never: finish(loss.reason, error: loss.error)
    case .onlyIfLasting where !isLasting: finish(loss.reason, error: loss.error)
    case .onlyIfLasting, .after: pause(wait, loss, moment)
    }
  }

  private var isLasting: Bool {
    if case .lasting = goal { true } else { false }
  }

  private mutating func wait(after loss: Loss, _ moment: Moment) -> Int64 {
    var atLeast: Int64 = 0
    if case .after(let milliseconds) = loss.comeBack {
      atLeast = min(max(0, milliseconds), Self.longestServerWait)
    }
    guard case .open(let session) = state else {
      return atLeast + reconnection.next(random: moment.random)
    }
    if moment.now - session.since >= settings.reconnection.resetAfter { reconnection.reset() }
    let jittered = reconnection.next(random: moment.random)
    // The server has already spread its clients over time.
    if let reconnectAt = session.reconnectAt { return max(0, reconnectAt - moment.now) }
    return atLeast + jittered
  }

  private mutating func pause(_ wait: Int64, _ loss: Loss, _ moment: Moment) {
    state = .pausing(until: moment.now + wait)
    lastError = loss.error
    lastReason = loss.reason
    guard isLasting else { return }
    deliver(
      .stateChanged(
        .reconnecting(
          attempt: reconnection.attempt, after: .milliseconds(wait), because: loss.reason)))
  }

  /// Fails sent calls that may not be sent again.
  private mutating func dropUnrepeatable(_ loss: Loss, _ moment: Moment) {
    for id in pending.ids {
      guard let entry = pending[id], entry.phase == .sent else { continue }
      // The next session opens with this token.
      if case .refresh(let token) = entry.purpose { credentials?.accessToken = token }
      if let outcome = outcome(of: entry, after: loss, moment) {
        _ = pending.remove(id)
        complete(id, outcome)
      } else {
        pending.markWaiting(id)
      }
    }
  }

  /// Returns the outcome of a call whose connection is lost; `nil` if the call is sent again.
  private func outcome(
    of entry: PendingCall, after loss: Loss, _ moment: Moment
  ) -> Result<[UInt8], ParleyError>? {
    switch (entry.purpose, entry.call.repeatability, loss.repetition) {
    case (.refresh, _, _): return .success(Self.emptyResult)
    case (.send, _, _):
      return isRepeatable(entry, moment) ? nil : .failure(.connectionLost)
    case (.plain, .safe, .allowed): return nil
    case (.plain, .safe, .suspected(let reason)): return .failure(.malformedAnswer(reason))
    case (.plain, .once, _), (.plain, .identified, _): return .failure(.connectionLost)
    }
  }

  /// Ends the session permanently.
  ///
  /// A caller that waits for connect or disconnect sees the new state when the wait ends.
  mutating func finish(_ reason: DisconnectionReason, error: ParleyError) {
    let goal = goal
    for id in pending.ids where pending.remove(id) != nil { complete(id, .failure(error)) }
    var closing: [EngineCallID] = []
    if case .leaving(_, let ids) = state { closing = ids }
    requests = [:]
    channels = [:]
    self.goal = .none
    state = .disconnected
    deliver(.stateChanged(.disconnected(because: reason)))
    if case .first(let id, _) = goal {
      // A session that never existed was not lost.
      let isLost = error == .connectionLost
      complete(id, .failure(isLost ? .connectionFailed(reason.description) : error))
    }
    for id in closing { complete(id, .success(Self.emptyResult)) }
  }

  mutating func close(_ id: EngineCallID, _ moment: Moment) {
    switch state {
    case .disconnected: complete(id, .success(Self.emptyResult))
    case .leaving(let deadline, let ids): state = .leaving(deadline: deadline, ids + [id])
    case .pausing, .connecting, .opening:
      abandonFirst(.cancelled, because: .requested)
      complete(id, .success(Self.emptyResult))
    case .open: leave(id, moment)
    }
  }

  /// Waits for the responses of sent calls before closing.
  private mutating func leave(_ id: EngineCallID, _ moment: Moment) {
    for waiting in pending.ids where pending[waiting]?.phase == .waiting {
      _ = pending.remove(waiting)
      complete(waiting, .failure(.cancelled))
    }
    state = .leaving(deadline: moment.now + Self.closePatience, [id])
    actions.append(.send(closeRequest()))
  }

  /// Abandons a session that is not open.
  mutating func abandonFirst(_ error: ParleyError, because reason: DisconnectionReason) {
    switch state {
    case .connecting, .opening: actions.append(.closeConnection(.finished))
    case .disconnected, .pausing, .open, .leaving: break
    }
    finish(reason, error: error)
  }
}
