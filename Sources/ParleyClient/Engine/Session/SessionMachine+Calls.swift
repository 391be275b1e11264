internal import ParleyProtocol

/// Open calls and their responses.
extension SessionMachine {
  /// The server forgets a `req_id` after ten minutes; a later repetition would be a new message.
  static let identityLifetime: Int64 = 540_000

  mutating func submit(_ id: EngineCallID, _ call: EngineCall, _ moment: Moment) {
    guard isWanted else { return complete(id, .failure(.notConnected)) }
    guard admit(id, call, PendingCall.Purpose(call), moment) else { return }
    if case .exit(let url) = call.channel { channels[url]?.presence = .leaving }
    guard case .open(let session) = state else { return completeExits() }
    guard session.admitsCalls(at: moment.now) else { return }
    send(id, moment)
  }

  /// Adds a call to the list, unless the list is full.
  mutating func admit(
    _ id: EngineCallID, _ call: EngineCall, _ purpose: PendingCall.Purpose, _ moment: Moment
  ) -> Bool {
    let entry = PendingCall(
      id: id, call: call, deadline: moment.now + (call.timeout ?? settings.requestTimeout),
      purpose: purpose)
    guard pending.count < settings.maximumPendingCalls,
      entry.byteCount <= settings.maximumPendingBytes - pending.byteCount
    else {
      complete(id, .failure(.tooManyPending(limit: settings.maximumPendingCalls)))
      return false
    }
    pending.append(entry)
    return true
  }

  /// Writes all waiting calls, oldest first.
  mutating func sendWaiting(_ moment: Moment) {
    guard case .open(let session) = state, session.admitsCalls(at: moment.now) else { return }
    for id in pending.ids {
      if pending[id]?.phase == .waiting { send(id, moment) }
    }
  }

  mutating func send(_ id: EngineCallID, _ moment: Moment) {
    guard case .open(var session) = state, let entry = pending[id] else { return }
    guard isRepeatable(entry, moment) else {
      _ = pending.remove(id)
      return complete(id, .failure(.connectionLost))
    }
    let call = entry.call
    let text = JSONWriter.bytes(reserving: call.params.count + 128) {
      $0.object {
        $0.member("jsonrpc", "2.0")
        $0.name("id")
        $0.value(rawText: register(.call(id, call.channel)).json)
        $0.member("method", call.method)
        $0.member("params", raw: call.params)
      }
    }
    guard text.count <= session.messageLimit else { return refuseOversized(id, session) }
    pending.markSent(id, at: moment.now)
    session.liveness.ask(at: moment.now)
    state = .open(session)
    actions.append(.send(text))
  }

  /// Returns whether a send that may have been carried out can be identified, if the call is a send.
  func isRepeatable(_ entry: PendingCall, _ moment: Moment) -> Bool {
    guard case .send = entry.purpose, let firstSent = entry.firstSent else { return true }
    return moment.now - firstSent < Self.identityLifetime
  }

  /// Rejects a call that is too large; sending it would close the connection and fail later calls.
  private mutating func refuseOversized(_ id: EngineCallID, _ session: OpenSession) {
    _ = pending.remove(id)
    complete(
      id,
      .failure(
        .refused(
          code: ErrorCode.tooLong.rawValue,
          message: "the request is longer than \(session.messageLimit) bytes", field: nil)))
  }

  mutating func didAnswer(
    _ id: EngineCallID, _ effect: ChannelEffect?, _ result: Result<JSONNode, ServiceError>,
    _ moment: Moment
  ) {
    // The channel changes even if no caller waits for the response.
    if let effect { apply(effect, result) }
    guard let entry = pending.remove(id) else { return }
    switch result {
    case .failure(let refusal): complete(id, .failure(ParleyError(refusal)))
    case .success(let node):
      apply(entry.purpose, node)
      complete(id, .success(Array(node.raw)))
    }
  }

  private mutating func apply(_ purpose: PendingCall.Purpose, _ result: JSONNode) {
    switch purpose {
    case .plain: break
    case .refresh(let token):
      credentials?.accessToken = token
      deliverFileKey(of: result)
    case .send(let send):
      if let seq = result["seq"]?.integer { channels[send.channelURL]?.position?.note(seq) }
    }
  }

  /// Completes calls that leave a channel: a lost connection has left all of them.
  mutating func completeExits() {
    for id in pending.ids {
      guard case .exit(let url) = pending[id]?.call.channel,
        !pending.hasEntering(of: url, before: id)
      else { continue }
      didLeave(url)
      _ = pending.remove(id)
      complete(id, .success(Self.emptyResult))
    }
  }

  mutating func cancel(_ id: EngineCallID, _ moment: Moment) {
    if case .first(id, _) = goal {
      return abandonFirst(.cancelled, because: .requested)
    }
    guard let entry = pending.remove(id) else { return }
    takeBack(entry)
    complete(id, .failure(.cancelled))
  }

  /// Cancels a call, unless the server may have carried it out.
  mutating func withdraw(_ id: EngineCallID, _ moment: Moment) {
    guard let entry = pending[id], entry.firstSent == nil else { return }
    cancel(id, moment)
  }

  mutating func expireCalls(_ moment: Moment) {
    while let due = pending.soonest, due.deadline <= moment.now {
      _ = pending.remove(due.id)
      takeBack(due)
      complete(due.id, .failure(.timedOut))
    }
  }

  /// Marks the channel as entered again if the request to leave it was never written.
  private mutating func takeBack(_ entry: PendingCall) {
    guard case .exit(let url) = entry.call.channel, entry.firstSent == nil,
      channels[url]?.presence == .leaving, case .open(let session) = state
    else { return }
    channels[url]?.presence = session.entering[url] == nil ? .inside : .outside
  }
}

extension PendingCall.Purpose {
  /// Derives the purpose of a call of the application.
  init(_ call: EngineCall) {
    guard call.repeatability == .identified,
      let params = try? JSONDocument(call.params).root,
      let url = params["channel_url"]?.string, let requestID = params["req_id"]?.string,
      !requestID.isEmpty
    else {
      self = .plain
      return
    }
    self = .send(PendingCall.Send(channelURL: url, requestID: requestID))
  }
}
