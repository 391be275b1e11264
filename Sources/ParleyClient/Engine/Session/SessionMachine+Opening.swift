internal import ParleyProtocol

/// Opening a session.
extension SessionMachine {
  static let emptyResult = Array("{}".utf8)

  mutating func open(
    _ id: EngineCallID, _ credentials: SessionCredentials, _ moment: Moment
  ) {
    guard case .disconnected = state else {
      return complete(
        id, .failure(.invalidConfiguration("the client is connected already: disconnect first")))
    }
    self.credentials = credentials
    tokenTime = moment.now
    goal = .first(id, deadline: moment.now + settings.connectTimeout)
    reconnection.reset()
    lastReason = nil
    lastError = nil
    channels = [:]
    connect()
    deliver(.stateChanged(.connecting))
  }

  mutating func connect() {
    state = .connecting
    actions.append(.connect)
  }

  mutating func didConnect(_ moment: Moment) {
    guard case .connecting = state, let credentials else { return }
    state = .opening(deadline: moment.now + openingPatience)
    let isFirst = if case .first = goal { true } else { false }
    let text = RPCRequest.encoded(id: register(.open), method: "session.open") {
      $0.member("user_id", credentials.userID)
      if let token = credentials.accessToken { $0.member("access_token", token) }
      if !settings.receivesGroups { $0.member("groups", false) }
      // Sending an old profile again would overwrite changes the user has made since.
      guard isFirst else { return }
      if let nickname = credentials.nickname { $0.member("nickname", nickname) }
      if let url = credentials.profileURL { $0.member("profile_url", url) }
    }
    actions.append(.send(text))
  }

  mutating func didAnswerOpen(
    _ result: Result<JSONNode, ServiceError>, _ moment: Moment
  ) {
    guard case .opening = state else { return }
    switch result {
    case .success(let result): begin(result, moment)
    case .failure(let refusal): refuse(refusal, moment)
    }
  }

  private mutating func begin(_ result: JSONNode, _ moment: Moment) {
    let interval = result["ping_interval_ms"]?.integer ?? 25_000
    let limit = result["limits"]?["message_bytes"]?.integer ?? 262_144
    let session = OpenSession(
      since: moment.now, liveness: Liveness(pingInterval: interval, now: moment.now),
      messageLimit: limit > 0 ? Int(clamping: limit) : 262_144)
    state = .open(session)
    if case .first = goal { deliver(.fileKeyChanged(nil)) }
    deliverFileKey(of: result)
    deliver(.featuresChanged(ServerFeatures(result: result)))
    if case .first(let id, _) = goal { complete(id, .success(Array(result.raw))) }
    goal = .lasting
    deliver(.stateChanged(.connected))
    enterAgain(moment)
    sendWaiting(moment)
  }

  /// Delivers the file key in a response.
  mutating func deliverFileKey(of result: JSONNode) {
    if let key = FileKey(result: result) { deliver(.fileKeyChanged(key)) }
  }

  private mutating func refuse(_ refusal: ServiceError, _ moment: Moment) {
    let error = ParleyError(refusal)
    let text = refusal.description
    actions.append(.closeConnection(.finished))
    if case .unauthorized(let reason) = error {
      lose(Loss(.unauthorized(reason), .never, error: error), moment)
    } else if refusal.isTransient {
      let wait = refusal.data.retryAfterMilliseconds ?? 0
      lose(Loss(.serverUnavailable(text), .after(wait), error: error), moment)
    } else {
      lose(Loss(.unauthorized(text), .never, error: error), moment)
    }
  }

  mutating func refresh(_ id: EngineCallID, _ token: String, _ moment: Moment) {
    guard isWanted else { return complete(id, .failure(.notConnected)) }
    let isNew = token != credentials?.accessToken
    if isNew { tokenTime = moment.now }
    guard case .open(var session) = state else {
      credentials?.accessToken = token
      return complete(id, .success(Self.emptyResult))
    }
    // A withheld notice is about the previous token.
    if isNew { session.expiry = nil }
    state = .open(session)
    let params = JSONWriter.bytes { $0.object { $0.member("access_token", token) } }
    let call = EngineCall(method: "session.refresh", params: params, repeatability: .safe)
    guard admit(id, call, .refresh(accessToken: token), moment) else { return }
    send(id, moment)
  }
}
