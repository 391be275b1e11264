/// The calls of a client, with completion handlers in the style of other chat SDKs.
///
/// Each handler is called once, on the client's callback queue, with a value or an error.
extension ParleyClient {
  /// Opens a session; see ``connect(userID:accessToken:nickname:profileURL:)``.
  public func connect(
    userID: String, accessToken: String? = nil, nickname: String? = nil,
    profileURL: String? = nil,
    completionHandler: @escaping @Sendable (User?, ParleyError?) -> Void
  ) {
    connect(
      userID: userID, accessToken: accessToken, nickname: nickname, profileURL: profileURL
    ) { outcome in
      outcome.hand(to: completionHandler)
    }
  }

  /// Ends the session; see ``disconnect()``.
  public func disconnect(completionHandler: @escaping @Sendable () -> Void) {
    Task { [core] in
      await core.close()
      core.callbacks.run(completionHandler)
    }
  }

  /// Creates a channel; see ``createOpenChannel(params:)``.
  public func createOpenChannel(
    params: OpenChannelCreateParams,
    completionHandler: @escaping @Sendable (OpenChannel?, ParleyError?) -> Void
  ) {
    core.start(
      params.values, { [core] in ChannelCalls.create($0).map(core.channel) },
      handler: completionHandler)
  }

  /// Looks a channel up; see ``openChannel(url:)``.
  public func openChannel(
    url: String, completionHandler: @escaping @Sendable (OpenChannel?, ParleyError?) -> Void
  ) {
    core.start(ChannelCalls.get(url).map(core.channel), handler: completionHandler)
  }

  /// Creates a group; see ``createGroupChannel(params:)``.
  public func createGroupChannel(
    params: GroupChannelCreateParams,
    completionHandler: @escaping @Sendable (GroupChannel?, ParleyError?) -> Void
  ) {
    core.start(
      params.values, { [core] in core.groupCalls.create($0).map(core.group) },
      handler: completionHandler)
  }

  /// Fetches a group; see ``groupChannel(url:)``.
  public func groupChannel(
    url: String, completionHandler: @escaping @Sendable (GroupChannel?, ParleyError?) -> Void
  ) {
    core.start(core.groupCalls.get(url).map(core.group), handler: completionHandler)
  }

  /// Changes the current user; see ``updateCurrentUser(params:)``.
  public func updateCurrentUser(
    params: UserUpdateParams,
    completionHandler: @escaping @Sendable (User?, ParleyError?) -> Void
  ) {
    core.start(params.values, { [self] in updating($0) }, handler: completionHandler)
  }
}

extension Result where Failure == ParleyError {
  /// Passes the value or the error to a handler.
  func hand(to handler: (Success?, ParleyError?) -> Void) {
    switch self {
    case .success(let value): handler(value, nil)
    case .failure(let error): handler(nil, error)
    }
  }
}

extension ClientCore {
  /// Makes a call and passes its value or its error to a handler.
  func start<Value: Sendable>(
    _ call: Call<Value>, handler: @escaping @Sendable (Value?, ParleyError?) -> Void
  ) {
    start(call, completion: { $0.hand(to: handler) })
  }

  /// Makes a call without a value and passes its error, if there is one, to a handler.
  func start(_ call: Call<Void>, handler: @escaping @Sendable (ParleyError?) -> Void) {
    start(call, completion: { outcome in outcome.hand { _, error in handler(error) } })
  }

  /// Makes several calls and passes their value or the first error to a handler.
  func start<Value: Sendable>(
    handler: @escaping @Sendable (Value?, ParleyError?) -> Void,
    _ work: @escaping @Sendable () async throws(ParleyError) -> Value
  ) {
    Task { [callbacks] in
      let outcome: Result<Value, ParleyError>
      do throws(ParleyError) {
        outcome = .success(try await work())
      } catch {
        outcome = .failure(error)
      }
      callbacks.run { outcome.hand(to: handler) }
    }
  }
}
