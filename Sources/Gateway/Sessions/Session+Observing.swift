import Channels
import Crypto
import ParleyProtocol
import Reactor
import Store
import Telemetry
import Transport
import HTTP

/// The session of an observer, which is opened with a ticket instead of a user's token.
extension Session {
  /// Whether the session is an observer's.
  var isObserving: Bool {
    if case .observing = state { true } else { false }
  }

  /// Opens the session if its ticket is valid.
  func openObserver(_ command: SessionObserve, _ address: ReplyAddress) {
    guard shard.services.stage == .serving else {
      reply(.failure(.overCapacity), to: address)
      closeWhenAnswered(.goingAway, reason: "the server is draining")
      return
    }
    state = .openingObserver(address)
    let redemption = TicketRedemption(
      hash: TokenDigest(of: command.ticket).bytes, at: shard.services.clock.now)
    shard.services.store.perform(redemption) {
      [confined = LoopBound(self), path = shard.returnPath] result in
      path.resume { _ in confined.value.didRedeem(result.serviceResult, address) }
    }
  }

  private func didRedeem(_ result: Result<[UInt8]?, ServiceError>, _ address: ReplyAddress) {
    guard case .openingObserver = state else { return }
    switch result {
    case .failure(let error): refuseObserver(AccessRefusal(error), address)
    case .success(let hash):
      guard let token = hash.flatMap({ TokenDigest(stored: $0) }),
        let holder = shard.services.apiTokens.holder(of: token),
        !holder.hasExpired(at: shard.services.clock.now)
      else { return refuseObserver(AccessRefusal(.ticket), address) }
      let observer = Observer(id: Identifiers.session(), token: token)
      state = .observing(observer)
      connection.sessionDidOpen()
      cancelTimer()
      if let expiry = holder.expiresAt { awaitTokenExpiry(at: expiry) }
      reply(.success(observer.opened(shard.services)), to: address)
    }
  }

  private func refuseObserver(_ refusal: AccessRefusal, _ address: ReplyAddress) {
    note(refusal)
    state = .awaitingOpen
    shard.counters.add(to: .sessionsRefused)
    reply(.failure(refusal.error), to: address)
    if refusal.error.code == .invalidAccessToken {
      closeWhenAnswered(.unauthorized, reason: refusal.error.message)
    }
  }

  /// Closes the session if the API token that issued its ticket was revoked.
  func checkObserver() {
    guard case .observing(let observer) = state,
      shard.services.apiTokens.holder(of: observer.token) == nil
    else { return }
    close(.unauthorized, reason: "the API token was revoked")
  }

  /// Executes a request of an observer.
  ///
  /// - Throws: 400108 for all but `session.ping`, `session.close`, `channel.enter` and `.exit`.
  func perform(
    _ request: RPCRequest, by observer: Observer, _ address: ReplyAddress
  ) throws(ServiceError) {
    guard Self.observerMethods.contains(request.method) else {
      guard Command.methodNames.contains(request.method) else {
        throw .noSuchMethod(request.method)
      }
      throw .notAllowed(
        "an observer hears channels and does nothing else: call the Platform API for that")
    }
    let command = try Command(method: request.method, params: request.params)
    charge(calls: command.extraCalls)
    if case .sessionPing = command { return ping(address) }
    if case .sessionClose = command { return end(address) }
    if case .channelExit(let url) = command { return try stopHearing(url, observer, address) }
    guard case .channelEnter(let enter) = command else { throw .internalError }
    let url = enter.channelURL
    guard observer.channelURLs.contains(url) || observer.channelURLs.count < Observer.channelLimit
    else { throw .tooManyObservedChannels(limit: Observer.channelLimit) }
    let stages = shard.services.shards.stageIndex(ofChannel: url)
    shard.send(LocalMessage.observe(channelURL: url, address), to: stages)
  }

  private static let observerMethods: Set<String> = [
    "session.ping", "session.close", "channel.enter", "channel.exit",
  ]

  private func stopHearing(
    _ url: String, _ observer: Observer, _ address: ReplyAddress
  ) throws(ServiceError) {
    guard observer.channelURLs.contains(url) else { throw .notInChannel(url) }
    observer.forget(url)
    shard.unobserve(url, reference)
    reply(.empty, to: address)
  }

  /// Removes the observer from all channels when its connection is closed.
  func stopObserving() {
    guard case .observing(let observer) = state else { return }
    for url in observer.channelURLs { shard.unobserve(url, reference) }
  }
}

extension Shard {
  /// Closes the observers of this shard whose API token was revoked.
  func checkObservers() {
    for session in sessions.all where session.isObserving { session.checkObserver() }
  }

  /// Removes an observer from a channel.
  func unobserve(_ url: String, _ session: SessionAddress) {
    let stages = services.shards.stageIndex(ofChannel: url)
    send(LocalMessage.unobserve(channelURL: url, session), to: stages)
  }

  /// Lets a connection of this server observe a channel, through the channel's stage here.
  func observe(_ url: String, _ address: ReplyAddress) {
    if let stage = stages[url] {
      stage.handle(StageInput.observe(address))
    } else if homeServer(ofChannel: url) == services.server {
      channels.withChannel(url) { [unowned self] result in
        switch result {
        case .success(let channel): channel.observe(address)
        case .failure(let error): reply(to: address, .failure(error))
        }
      }
    } else {
      stages.makeStage(of: url).handle(StageInput.observe(address))
    }
  }

  /// Called when a stage of this server sends its events to a connection of this shard from here on.
  func didObserve(_ url: String, _ address: ReplyAddress, _ result: [UInt8]) {
    guard let session = session(address.session), case .observing(let observer) = session.state
    else { return unobserve(url, address.session) }
    observer.note(url)
    session.complete(address, .success(result))
  }
}

extension ServiceError {
  fileprivate static let ticket = ServiceError.accessToken(
    "the ticket is unknown, used or more than 30 seconds old: ask for another")
}

extension Observer {
  /// The result of `session.open`.
  fileprivate func opened(_ services: GatewayServices) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("session_id", id)
        $0.member("is_observer", true)
        services.encodeServer(into: &$0)
        $0.member("features", object: { _ in })
      }
    }
  }
}
