import Channels
import Configuration
import FloodControl
import Logging
import Hooks
import ParleyProtocol
import Reactor
import Store
import Telemetry
import Transport
import HTTP

extension Session {
  /// Opens the session if the user is authenticated.
  func open(_ command: SessionOpen, _ address: ReplyAddress) {
    guard shard.services.stage == .serving else {
      reply(.failure(.overCapacity), to: address)
      closeWhenAnswered(.goingAway, reason: "the server is draining")
      return
    }
    guard shard.settings.auth.mode != .hook else {
      state = .asking(command, address)
      return askForUser(of: command) { $0.didAsk($1, address) }
    }
    guard !command.userID.isEmpty else { return reply(.failure(.missing("user_id")), to: address) }
    expect(command, address)
  }

  private func didAsk(_ result: Result<SessionOpen, ServiceError>, _ address: ReplyAddress) {
    guard case .asking = state else { return }
    switch result {
    case .success(let command): expect(command, address)
    case .failure(let error): refuse(AccessRefusal(error), address)
    }
  }

  private func expect(_ command: SessionOpen, _ address: ReplyAddress) {
    state = .opening(command, address)
    // The user's home must know of the session before the user is looked up. A later eviction then finds
    // the session, and the look-up sees an earlier one.
    shard.send(.user(id: command.userID, .expect(reference)))
  }

  /// Continues to open the session, once the user's home knows of it.
  func authenticate() {
    guard case .opening(let command, let address) = state else { return }
    evictions = [:]
    let asks = shard.services.hooks?.asks(.sessionOpen) == true
    let asker = SessionAsker(shard, hookSession, namesUser: false)
    shard.services.authenticator.authenticate(
      command, clock: shard.services.clock, asking: asks ? asker : nil
    ) {
      [confined = LoopBound(self), path = shard.returnPath] result in
      path.resume { _ in confined.value.didAuthenticate(result, address) }
    }
  }

  private func didAuthenticate(
    _ result: Result<Credentials, AccessRefusal>, _ address: ReplyAddress
  ) {
    guard case .opening(let command, _) = state else { return }
    switch result {
    case .success(let credentials):
      guard !isVoid(credentials.grant) else {
        return refuse(AccessRefusal(.accessToken("the access token was revoked")), address)
      }
      begin(credentials, hearsGroups: command.hearsGroups, address)
    case .failure(let refusal): refuse(refusal, address)
    }
  }

  private func begin(
    _ credentials: Credentials, hearsGroups: Bool, _ address: ReplyAddress
  ) {
    let now = shard.services.clock.now
    let fileKey = shard.services.vault.userKeys.key(
      of: credentials.user.id, since: credentials.fileKeysSince, at: now)
    let identity = Identity(
      id: Identifiers.session(), user: credentials.user, openedAt: now,
      proof: credentials.grant.proof, lastEviction: credentials.grant.lastEviction,
      fileKeyExpiry: fileKey?.expiresAt)
    self.hearsGroups = hearsGroups
    state = .open(identity)
    connection.sessionDidOpen()
    awaitExpiry(at: credentials.grant.expiresAt)
    let profile = credentials.isNewProfile ? identity.user : nil
    let addition = UserMessage.add(
      reference, openedAt: identity.openedAt, newProfile: profile,
      hearsGroups: hearsGroups)
    shard.send(.user(id: identity.user.id, addition))
    noteForHooks(identity.id)
    if hearsGroups { shard.seat(Seat(userID: identity.user.id, session: reference)) }
    shard.counters.add(to: .sessionsOpened)
    shard.gauges.add(1, to: .sessions)
    reply(
      .success(identity.opened(shard.services, fileKey, hookData: credentials.hookData)),
      to: address)
  }

  private func refuse(_ refusal: AccessRefusal, _ address: ReplyAddress) {
    let error = refusal.error
    note(refusal)
    withdraw()
    state = .awaitingOpen
    shard.counters.add(to: .sessionsRefused)
    reply(.failure(error), to: address)
    if error.code == .invalidAccessToken || error.code == .userDeactivated
      || error.code.isOfApplication
    {
      closeWhenAnswered(.unauthorized, reason: error.message)
    }
  }

  /// Refuses to open the session because the home of the user does not answer.
  func cannotOpen(_ error: ServiceError) {
    guard case .opening(_, let address) = state else { return }
    refuse(AccessRefusal(error), address)
  }

  /// Logs why a token was refused.
  ///
  /// Other errors are only returned to the client.
  func note(_ refusal: AccessRefusal) {
    guard refusal.error.code == .invalidAccessToken else { return }
    var metadata: Logger.Metadata = ["reason": "\(refusal.reason)"]
    switch state {
    case .opening(let command, _), .asking(let command, _):
      metadata["user_id"] = "\(command.userID)"
    case .open(let identity): metadata["user_id"] = "\(identity.user.id)"
    case .awaitingOpen, .openingObserver, .observing, .closed: break
    }
    shard.refuse(.accessToken, connection, metadata)
  }

  /// Reports to the home of a user that an expected session was not opened.
  func withdraw() {
    guard case .opening(let command, _) = state else { return }
    shard.send(.user(id: command.userID, .remove(reference, lostSince: nil)))
  }

  /// Closes the session if it depends on a void token, now or once that is known.
  func evict(_ eviction: Eviction) {
    let proofs = eviction.proof.map { [$0] } ?? TokenProof.allCases
    for proof in proofs { evictions[proof] = max(evictions[proof] ?? 0, eviction.number) }
    guard case .open(let identity) = state, proofs.contains(identity.proof),
      identity.lastEviction < eviction.number
    else { return }
    close(.unauthorized, reason: eviction.reason)
  }

  /// Whether a token became void before it could be used.
  private func isVoid(_ grant: TokenGrant) -> Bool {
    grant.lastEviction < evictions[grant.proof] ?? 0
  }

  /// Continues the session with a new token.
  func refresh(_ command: SessionRefresh, _ address: ReplyAddress) {
    guard let caller else {
      reply(.failure(.invalidRequest("the session is not open")), to: address)
      return
    }
    evictions = [:]
    guard shard.settings.auth.mode != .hook else { return askToRefresh(command, caller, address) }
    shard.services.authenticator.check(
      command.accessToken, of: caller.user.id, clock: shard.services.clock
    ) { [confined = LoopBound(self), path = shard.returnPath] result in
      path.resume { _ in confined.value.didRefresh(result, address) }
    }
  }

  /// Asks whether the user of the session may stay (`auth.mode: hook`).
  private func askToRefresh(
    _ command: SessionRefresh, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) {
    let userID = caller.user.id
    let open = SessionOpen(userID: userID, accessToken: command.accessToken)
    askForUser(of: open) { session, result in
      session.shard.services.authenticator.findGrant(
        of: userID,
        result.flatMap { answer -> Result<Int64?, ServiceError> in
          guard answer.userID == userID else {
            return .failure(.accessToken("the access token is another user's"))
          }
          return .success(answer.terms.expiresAt)
        }
      ) { [confined = LoopBound(session), path = session.shard.returnPath] grant in
        path.resume { _ in confined.value.didRefresh(grant, address) }
      }
    }
  }

  private func didRefresh(_ result: Result<TokenGrant, AccessRefusal>, _ address: ReplyAddress) {
    guard case .open(var identity) = state else { return }
    let grant: TokenGrant
    switch result {
    case .success(let found) where !isVoid(found): grant = found
    case .success:
      return refuseRefresh(AccessRefusal(.accessToken("the access token was revoked")), address)
    case .failure(let refusal): return refuseRefresh(refusal, address)
    }
    (identity.proof, identity.lastEviction) = (grant.proof, grant.lastEviction)
    state = .open(identity)
    awaitExpiry(at: grant.expiresAt)
    renewFileKey { session, key in
      session.reply(
        .success(JSONWriter.bytes { $0.object { key?.encode(into: &$0) } }), to: address)
    }
  }

  /// Looks up the user, and continues with a new file key; `nil` when there are no keys.
  private func renewFileKey(then next: @escaping @Sendable (Session, Event.FileKey?) -> Void) {
    guard let caller, shard.services.vault.userKeys.givesKeys else { return next(self, nil) }
    let userID = caller.user.id
    shard.services.store.perform(AccountLookup(userID)) {
      [confined = LoopBound(self), path = shard.returnPath] result in
      path.resume { shard in
        let session = confined.value
        var key: Event.FileKey?
        if case .success(let account?) = result, account.isActive, case .open = session.state {
          let services = shard.services
          key = services.vault.userKeys.key(
            of: userID, since: account.fileKeysSince, at: services.clock.now)
        }
        if let key { session.noteFileKey(key) }
        next(session, key)
      }
    }
  }

  private func noteFileKey(_ key: Event.FileKey) {
    guard case .open(var identity) = state else { return }
    identity.fileKeyExpiry = key.expiresAt
    state = .open(identity)
  }

  /// Sends the session a new file key when its current key expires soon.
  func renewFileKeyIfDue(at now: Int64) {
    guard case .open(var identity) = state, let expiry = identity.fileKeyExpiry,
      now >= expiry - shard.services.vault.userKeys.renewalTime
    else { return }
    // Prevents another request before the answer. Without an answer, the next round tries again.
    identity.fileKeyExpiry = now + shard.services.vault.userKeys.renewalTime + 60_000
    state = .open(identity)
    renewFileKey { session, key in
      guard let key, case .open = session.state else { return }
      let now = session.shard.services.clock.now
      session.send(Event.sessionFileKey(key).notification(from: .session(at: now)))
    }
  }

  /// Reads a user with its metadata, which references to the user do not contain.
  func get(_ command: UserGet, _ address: ReplyAddress) {
    let path = shard.returnPath
    shard.services.store.perform(AccountLookup(command.userID)) { result in
      let account = result.serviceResult.existing(command.userID)
      path.resume { $0.reply(to: address, account.map { $0.user.encodedAsResult() }) }
    }
  }

  private func refuseRefresh(_ refusal: AccessRefusal, _ address: ReplyAddress) {
    note(refusal)
    reply(.failure(refusal.error), to: address)
  }

  /// Changes the user's profile for all its sessions.
  func update(_ command: UserUpdate, _ caller: SessionPrincipal, _ address: ReplyAddress) {
    let now = shard.services.clock.now
    let path = shard.returnPath
    let change = ProfileChange(
      caller.user.id, nickname: command.nickname, profileURL: command.profileURL,
      metadata: command.metadata, at: now)
    shard.services.store.perform(change) { result in
      path.resume { $0.didUpdate(result.serviceResult, address) }
    }
  }

  /// Called when the user's profile was changed, here or elsewhere.
  func userDidChange(_ user: User) {
    guard case .open(var identity) = state, identity.user != user else { return }
    identity.user = user
    state = .open(identity)
    for url in places.urls {
      shard.send(.channel(url: url, .profile(user)))
    }
  }
}

extension Shard {
  fileprivate func didUpdate(
    _ result: Result<ProfileChange.Outcome, ServiceError>, _ address: ReplyAddress
  ) {
    if case .success(let outcome) = result {
      session(address.session)?.userDidChange(outcome.user)
      if outcome.isChanged { send(.user(id: outcome.user.id, .update(outcome.user))) }
    }
    reply(
      to: address,
      result.map { $0.user.encodedAsResult() })
  }
}

extension User {
  /// The result of a call that returns a user: `{"user": …}`.
  fileprivate func encodedAsResult() -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.name("user")
        encode(into: &$0)
      }
    }
  }
}

extension Session.Identity {
  /// The result of `session.open`.
  func opened(
    _ services: GatewayServices, _ fileKey: Event.FileKey?, hookData: [UInt8]?
  ) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("session_id", id)
        $0.name("user")
        user.encode(into: &$0)
        services.encodeServer(into: &$0)
        $0.member("features", object: { services.encodeFeatures(into: &$0) })
        fileKey?.encode(into: &$0)
        if let hookData { $0.member("hook_data", raw: hookData) }
      }
    }
  }
}

extension GatewayServices {
  /// Writes the members about the server at the beginning of a session.
  func encodeServer(into writer: inout JSONWriter) {
    writer.member(
      "server",
      object: {
        $0.member("name", Release.name)
        $0.member("version", Release.number)
      })
    let limits = settings.limits
    writer.member("limits", object: { limits.encodeAnnounced(into: &$0) })
    writer.member("ping_interval_ms", limits.pingIntervalMilliseconds)
  }
}

extension LimitSettings {
  /// Writes the limits that clients can observe, as returned by `session.open`.
  fileprivate func encodeAnnounced(into writer: inout JSONWriter) {
    writer.member("message_bytes", messageBytes)
    writer.member("flood", object: { flood.limit.encodeMembers(into: &$0) })
    writer.member("user_flood", object: { userFlood.encodeMembers(into: &$0) })
    customData.encodeMembers(into: &writer)
  }
}

extension RateLimit {
  fileprivate func encodeMembers(into writer: inout JSONWriter) {
    writer.member("messages", count)
    writer.member("window_ms", windowMilliseconds)
  }
}

extension CustomDataLimits {
  fileprivate func encodeMembers(into writer: inout JSONWriter) {
    writer.member("custom_type_length", customTypeLength)
    writer.member("data_bytes", dataByteCount)
    writer.member(
      "metaarray",
      object: {
        $0.member("keys", metaArrays.keyCount)
        $0.member("key_length", metaArrays.keyLength)
        $0.member("values", metaArrays.valueCount)
        $0.member("value_length", metaArrays.valueLength)
        $0.member("bytes", metaArrays.byteCount)
      })
    writer.member(
      "metadata",
      object: {
        $0.member("keys", metadata.itemCount)
        $0.member("key_length", metadata.keyLength)
        $0.member("value_length", metadata.valueLength)
        $0.member("user_bytes", metadata.userByteCount)
      })
  }
}
