internal import ClientSockets
internal import ClientTransport
internal import ParleyProtocol

/// Opening the session and entering the channels.
extension LoadConnection {
  /// Sends all requests that make the connection ready; the responses arrive in the same order.
  func prepare() {
    let returns = traces.contains(where: \.hasEntered)
    let creates = returns ? [] : member.creates
    state = .preparing(missing: 1 + creates.count + member.channels.count)
    request(RequestID.open, "session.open") { [worker, place] in
      $0.member("user_id", LoadTarget.userID(run: worker.target.run, place: place))
      // Only open channels are loaded.
      $0.member("groups", false)
      if place < worker.target.accessTokens.count {
        $0.member("access_token", worker.target.accessTokens[place])
      }
    }
    for (index, channel) in creates.enumerated() {
      request(RequestID.firstCreate + Int64(index), "channel.create") { [worker] in
        $0.member("channel_url", ChannelName.url(run: worker.target.run, channel: channel))
        $0.member("name", "Load test")
      }
    }
    for index in member.channels.indices { enter(index) }
  }

  private func enter(_ index: Int) {
    let channel = member.channels[index]
    let trace = traces[index]
    request(RequestID.firstEnter + Int64(index), "channel.enter") { [worker] in
      $0.member("channel_url", ChannelName.url(run: worker.target.run, channel: channel))
      guard trace.hasEntered, let epoch = worker.epochs[channel] else { return }
      $0.member(
        "recover",
        object: {
          $0.member("epoch", epoch)
          $0.member("seq", trace.position)
        })
    }
  }

  func request(_ id: Int64, _ method: String, _ write: (inout JSONWriter) -> Void) {
    connection?.send(RPCRequest.encoded(id: RPCIdentifier(id), method: method, write))
  }

  /// Handles a response to a request other than a send.
  func receiveAnswer(_ id: Int64, _ result: Result<JSONNode, ServiceError>) {
    switch result {
    case .failure(let error) where error.code == .alreadyExists: break
    case .failure(let error): return fail("\(error)")
    case .success(let node):
      if id >= RequestID.firstEnter, id - RequestID.firstEnter < Int64(traces.count) {
        didEnter(Int(id - RequestID.firstEnter), node)
      }
      if id == RequestID.open, worker.gateway.isEmpty { worker.gateway = Self.gateway(node) }
    }
    guard case .preparing(let missing) = state else { return }
    state = .preparing(missing: missing - 1)
    if missing == 1 { becomeReady() }
  }

  /// Returns the name and version of the server in the response to `session.open`.
  private static func gateway(_ answer: JSONNode) -> String {
    let server = answer["server"]
    return ["name", "version"].compactMap { server?[$0]?.string?.prefix(100) }
      .joined(separator: " ")
  }

  private func didEnter(_ index: Int, _ answer: JSONNode) {
    guard let seq = answer["seq"]?.integer, let epoch = answer["epoch"]?.string else {
      return fail("the answer to channel.enter has no position")
    }
    worker.epochs[member.channels[index]] = epoch
    let returns = traces[index].hasEntered
    guard returns, answer["recovered"]?.bool == true, let events = answer["events"] else {
      if returns { worker.counters.gaps += 1 }
      traces[index].enter(at: seq)
      return
    }
    traces[index].enterRecovering()
    for event in events.elements {
      guard let method = event["method"]?.string, let params = event["params"] else { continue }
      receiveEvent(method, params, isLive: false)
    }
    traces[index].finishRecovery(at: seq)
  }

  private func becomeReady() {
    state = .ready
    worker.counters.connected += 1
    worker.counters.ready += 1
    worker.record(since: attempt.since, in: attempt.series)
    worker.attemptDidEnd()
    worker.didBecomeReady(self)
  }
}
