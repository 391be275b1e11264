internal import ClientTransport
internal import ParleyProtocol

/// Handling of the server's messages.
extension SessionMachine {
  mutating func receive(_ text: [UInt8], _ moment: Moment) {
    noteLife(moment)
    do throws(JSONError) {
      let limits = JSONLimits(
        byteCount: settings.maximumMessageBytes, depth: 64, nodeCount: 400_000)
      for output in try RPCOutput.parse(text, limits: limits) { take(output, moment) }
    } catch {
      breakOff("the server sent what is no JSON-RPC: \(error)", moment)
    }
  }

  mutating func noteLife(_ moment: Moment) {
    guard case .open(var session) = state else { return }
    session.liveness.receive(at: moment.now)
    state = .open(session)
  }

  /// Closes a connection on which the server violated the protocol.
  private mutating func breakOff(_ reason: String, _ moment: Moment) {
    actions.append(.closeConnection(.protocolError))
    lose(Loss(.failed(ConnectionFailure(.protocolViolation, reason))), moment)
  }

  private mutating func take(_ output: RPCOutput, _ moment: Moment) {
    switch output {
    case .notification(let method, let params): take(method, params, moment)
    case .reply(let id, let result):
      guard let number = id.flatMap({ Int64($0.json) }),
        let request = requests.removeValue(forKey: number)
      else { return }
      take(result, of: request, moment)
    }
  }

  private mutating func take(
    _ result: Result<JSONNode, ServiceError>, of request: Request, _ moment: Moment
  ) {
    switch request {
    case .open: didAnswerOpen(result, moment)
    case .close: break
    case .call(let id, let effect): didAnswer(id, effect, result, moment)
    case .enter(let url): didEnterAgain(url, result, moment)
    }
  }

  private mutating func take(_ method: String, _ params: JSONNode?, _ moment: Moment) {
    if method == EventName.serverDraining.rawValue { noteDraining(params, moment) }
    if method == EventName.sessionExpiring.rawValue, holdsExpiry(params, moment) { return }
    guard let params, let url = params["channel_url"]?.string, channels[url] != nil else {
      return takeElsewhere(method, params)
    }
    take(method, params, inChannel: url)
    if putsOut(method, params) { channels[url] = nil }
  }

  /// Delivers an event of the session or of a group, unless it replaces a lost response.
  private mutating func takeElsewhere(_ method: String, _ params: JSONNode?) {
    if method == EventName.messageReceived.rawValue, let params,
      let seq = params["seq"]?.integer, answers(params, seq)
    {
      return
    }
    deliver(.notification(method: method, params: params))
  }

  /// Delivers an event of a channel, unless it was already delivered or replaces a lost response.
  ///
  /// - Returns: Whether it was delivered.
  @discardableResult
  mutating func take(_ method: String, _ params: JSONNode, inChannel url: String) -> Bool {
    if let seq = params["seq"]?.integer {
      let isNews = channels[url]?.admit(seq) ?? true
      // The server may delay an update until after later events; it carries the newest state.
      guard isNews || method == EventName.messageUpdated.rawValue else { return false }
      if method == EventName.messageReceived.rawValue, answers(params, seq) { return false }
    }
    deliver(.notification(method: method, params: params))
    return true
  }

  /// Completes the send of this message, if its response was lost.
  private mutating func answers(_ params: JSONNode, _ seq: Int64) -> Bool {
    guard let message = params["message"], let requestID = message["req_id"]?.string,
      let url = params["channel_url"]?.string, !requestID.isEmpty,
      message["user"]?["user_id"]?.string == credentials?.userID,
      let id = pending.sent(PendingCall.Send(channelURL: url, requestID: requestID)),
      pending.remove(id) != nil
    else { return false }
    let result = JSONWriter.bytes(reserving: message.raw.count + 64) {
      $0.object {
        $0.name("message")
        $0.value(raw: message.raw)
        $0.member("seq", seq)
      }
    }
    complete(id, .success(result))
    return true
  }

  /// Returns whether an event means that this user is no longer in the channel.
  private func putsOut(_ method: String, _ params: JSONNode) -> Bool {
    let name = EventName(rawValue: method)
    return name == .channelDeleted
      || name == .userBanned && params["user"]?["user_id"]?.string == credentials?.userID
  }
}
