internal import ParleyProtocol

extension ParleyClient {
  /// Opens a session; the client then stays connected until ``disconnect()``.
  ///
  /// - Parameters:
  ///   - userID: 1 to 80 characters. A user that does not exist is created.
  ///   - accessToken: Required if the server asks for one: an access token of the user, or a JWT.
  ///   - nickname: Replaces the stored one when given.
  ///   - profileURL: Replaces the stored one when given.
  /// - Returns: The user as the server stores it.
  /// - Throws: ``ParleyError/unauthorized(_:)``; ``ParleyError/connectionFailed(_:)`` or
  ///   ``ParleyError/timedOut`` when the server could not be reached within
  ///   ``ParleyClientConfiguration/connectTimeout``; ``ParleyError/invalidConfiguration(_:)``, also
  ///   while the client is connected already.
  @discardableResult
  public func connect(
    userID: String, accessToken: String? = nil, nickname: String? = nil, profileURL: String? = nil
  ) async throws(ParleyError) -> User {
    try await core.open(
      SessionCredentials(
        userID: userID, accessToken: accessToken, nickname: nickname, profileURL: profileURL))
  }

  /// Opens a session as ``connect(userID:accessToken:nickname:profileURL:)`` does, and calls back.
  public func connect(
    userID: String, accessToken: String? = nil, nickname: String? = nil,
    profileURL: String? = nil,
    completion: @escaping @Sendable (Result<User, ParleyError>) -> Void
  ) {
    let credentials = SessionCredentials(
      userID: userID, accessToken: accessToken, nickname: nickname, profileURL: profileURL)
    core.open(credentials) { [callbacks = core.callbacks] outcome in
      callbacks.run { completion(outcome) }
    }
  }

  /// Ends the session after all sent calls were answered, and leaves all channels.
  ///
  /// Uploads fail with ``ParleyError/cancelled``; a file message whose file was already uploaded is
  /// stored as usual.
  public func disconnect() async {
    await core.close()
  }

  /// Replaces the access token, now and for reconnections.
  ///
  /// - Throws: ``ParleyError/unauthorized(_:)``: the session then keeps the old token until it
  ///   expires.
  public func refresh(accessToken: String) async throws(ParleyError) {
    try await core.refresh(accessToken: accessToken)
  }

  /// Fetches a user with its metadata, which the users of messages and channels lack.
  public func user(id: String) async throws(ParleyError) -> User {
    try await core.perform(SessionCalls.user(id))
  }

  /// Changes the current user.
  ///
  /// - Returns: The updated user.
  @discardableResult
  public func updateCurrentUser(params: UserUpdateParams) async throws(ParleyError) -> User {
    try await core.perform(params.values, updating)
  }

  func updating(_ params: UserUpdateParams.Values) -> Call<User> {
    SessionCalls.updateUser(params).map { [core] in
      core.keep($0)
      return $0
    }
  }
}

/// The public view of a client's session, and the changes to report.
struct SessionView: Sendable {
  var user: User?
  var features: ServerFeatures?
  var state = ConnectionState.disconnected(because: .requested)
  /// Whether `group.ready` has arrived on this connection.
  var hasGroupEvents = false {
    didSet {
      if hasGroupEvents != oldValue { groupCoverage += 1 }
      if hasGroupEvents { endGroupWaits() }
    }
  }
  /// Whether the application wants the numbers over all groups.
  var watchesTotals = false
  /// Whether the application is in the background.
  var isInBackground = false
  /// The token of the last `group.ready`.
  var groupChangesToken: String?
  /// A token for the changes that the pages of a list which begins now may lack.
  var groupListToken: String?
  /// The lists that wait for `group.ready`.
  private var groupWaits: [AsyncStream<Void>.Continuation] = []
  /// Identifies the time for which ``hasGroupEvents`` has its value.
  private(set) var groupCoverage = 0
  /// Whether the session was open since the last `connect` and this was reported.
  private var hasToldConnection = false

  /// Returns a stream that ends with `group.ready`, or when none is to be expected; `nil` if it has arrived.
  mutating func groupReadiness() -> AsyncStream<Void>? {
    if hasGroupEvents { return nil }
    if case .disconnected = state { return nil }
    if let features, features.groups == nil { return nil }
    let (stream, wait) = AsyncStream<Void>.makeStream()
    groupWaits.append(wait)
    return stream
  }

  mutating func endGroupWaits() {
    for wait in groupWaits { wait.finish() }
    groupWaits = []
  }

  /// Applies a new state; returns `nil` when there is nothing to report.
  mutating func change(to state: ConnectionState) -> ConnectionEvent? {
    self.state = state
    if state != .connected { hasGroupEvents = false }
    if case .disconnected = state { endGroupWaits() }
    switch state {
    case .connecting:
      hasToldConnection = false
      return nil
    case .connected:
      defer { hasToldConnection = true }
      return hasToldConnection ? .reconnected : .connected
    case .reconnecting(let attempt, let pause, let reason):
      return .reconnecting(attempt: attempt, after: pause, because: reason)
    case .disconnected(let reason):
      return .disconnected(because: reason)
    }
  }
}

/// The requests about the session and its user.
enum SessionCalls {
  /// The parser for the result of `session.open`; the engine makes the request.
  static let opened = Call<User>(
    "session.open", .once, params: { _ in }, reading: AnswerReader.user(of:))

  static func user(_ userID: String) -> Call<User> {
    Call(
      "user.get", .safe, params: { $0.member("user_id", userID) },
      reading: AnswerReader.user(of:))
  }

  static func updateUser(_ params: UserUpdateParams.Values) -> Call<User> {
    Call("user.update", .once, params: params.write, reading: AnswerReader.user(of:))
  }
}
