import Channels
import Configuration
import Hooks
import ParleyProtocol
import Reactor
import Store
import Transport

/// Calls of a session that the app's back end is asked about before they leave its server.
extension Session {
  /// Asks about a call whose own checks have passed, if calls like it are asked about.
  ///
  /// - Parameters:
  ///   - change: Applies the changes of the app's back end.
  ///   - next: Continues with the call; called once, unless it is refused.
  func asking<Command: Sendable>(
    _ hook: HookName, about command: Command, _ params: @autoclosure () -> [UInt8],
    _ caller: SessionPrincipal, _ address: ReplyAddress,
    changing change:
      @escaping @Sendable (HookChanges, Command, CustomDataLimits) throws(ServiceError) -> Command,
    then next: @escaping @Sendable (Shard, Command) -> Void
  ) {
    guard let hooks = shard.services.hooks, hooks.asks(hook) else { return next(shard, command) }
    let request = HookRequest(
      hook, user: caller.user, session: caller.hookSession, params: params())
    let (path, limits) = (shard.returnPath, shard.settings.limits.customData)
    hooks.ask(request) { verdict in
      let (result, outcome) = verdict.applied(to: command) {
        changes, command throws(ServiceError) in
        try change(changes, command, limits)
      }
      if let outcome { hooks.note(outcome, of: hook) }
      path.resume { shard in
        switch result {
        case .success(let command): next(shard, command)
        case .failure(let error): shard.reply(to: address, .failure(error))
        }
      }
    }
  }

  /// Continues with the creation of a channel that would be accepted; refuses any other one.
  ///
  /// - Parameters:
  ///   - url: The URL in the call.
  ///   - userIDs: The users in the call.
  func checkNew(
    _ url: String?, naming userIDs: [String], _ address: ReplyAddress,
    then next: @escaping @Sendable (Session) -> Void
  ) {
    let (confined, path, store) = (LoopBound(self), shard.returnPath, shard.services.store)
    let refuse: @Sendable (ServiceError) -> Void = { error in
      path.resume { $0.reply(to: address, .failure(error)) }
    }
    let checkUsers: @Sendable () -> Void = {
      guard !userIDs.isEmpty else { return path.resume { _ in next(confined.value) } }
      store.read(.users(userIDs)) { result in
        switch result {
        case .failure(let error): refuse(ServiceError(error))
        case .success(.users(let users)):
          let known = Set(users.map(\.id))
          if let missing = userIDs.first(where: { !known.contains($0) }) {
            return refuse(.notFound(.user, missing))
          }
          path.resume { _ in next(confined.value) }
        case .success: refuse(.internalError)
        }
      }
    }
    guard let url else { return checkUsers() }
    store.read(.channel(url: url)) { result in
      switch result {
      case .failure(let error): refuse(ServiceError(error))
      case .success(.channel(nil)): checkUsers()
      case .success(.channel): refuse(.exists(.channel, url))
      case .success: refuse(.internalError)
      }
    }
  }

  /// The connection as the app's back end sees it while its session is being opened.
  var hookSession: HookSession {
    HookSession(id: nil, address: connection.clientAddress?.host ?? "", over: carrier)
  }

  // MARK: Opening

  /// Asks for the user of a token (`auth.mode: hook`).
  func askForUser(
    of command: SessionOpen,
    then next: @escaping @Sendable (Session, Result<SessionOpen, ServiceError>) -> Void
  ) {
    let (confined, path) = (LoopBound(self), shard.returnPath)
    SessionAsker(shard, hookSession, namesUser: true).ask(about: command, of: nil) { result in
      path.resume { _ in next(confined.value, result) }
    }
  }

  private var carrier: HookSession.Carrier { connection.isStream ? .stream : .webSocket }

  /// Notes the session for questions about its calls.
  func noteForHooks(_ id: String) {
    guard shard.services.hooks != nil else { return }
    shard.hookSessions[reference] = HookSession(
      id: id, address: connection.clientAddress?.host ?? "", over: carrier)
  }

  func forgetForHooks() {
    if !shard.hookSessions.isEmpty { shard.hookSessions[reference] = nil }
  }
}

/// Asks about sessions; usable from any thread.
struct SessionAsker: Sendable {
  private let hooks: Hooks?
  private let session: HookSession
  private let limits: CustomDataLimits
  private let clock: DeploymentClock
  /// Whether the answer names the user, who is identified by the token.
  private let namesUser: Bool

  init(_ shard: Shard, _ session: HookSession, namesUser: Bool) {
    hooks = shard.services.hooks
    self.session = session
    limits = shard.settings.limits.customData
    clock = shard.services.clock
    self.namesUser = namesUser
  }

  /// Asks about a session whose own checks have passed.
  ///
  /// - Parameters:
  ///   - user: The user as stored; `nil` for a new or an unknown one.
  ///   - completion: Called once, on any thread.
  func ask(
    about command: SessionOpen, of user: User?,
    _ completion: @escaping @Sendable (Result<SessionOpen, ServiceError>) -> Void
  ) {
    guard let hooks else {
      return completion(namesUser ? .failure(.internalError) : .success(command))
    }
    let known = namesUser ? nil : user ?? User(id: command.userID)
    let request = HookRequest(
      .sessionOpen, user: known, session: session,
      params: command.hookParameters(showsToken: namesUser))
    hooks.askOpening(request, userID: command.userID, token: command.accessToken ?? "") {
      [limits, clock, namesUser] verdict in
      let (result, outcome) = verdict.applied(to: command) {
        changes, command throws(ServiceError) in
        try command.changed(by: changes, limits, at: clock.now, namesUser: namesUser)
      }
      if let outcome { hooks.note(outcome, of: .sessionOpen) }
      if namesUser, case .allowed = verdict {
        // Without changes there is no user.
        hooks.note(.failed, of: .sessionOpen)
        return completion(
          .failure(.hookFailed(.sessionOpen, retryAfter: .random(in: 1_000...5_000))))
      }
      completion(result)
    }
  }
}
