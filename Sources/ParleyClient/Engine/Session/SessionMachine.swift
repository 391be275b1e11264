internal import ClientTransport
internal import ParleyProtocol

/// A client's session with the server across any number of connections: calls and their responses,
/// entered channels and reconnection.
///
/// Owns no connection, clock, thread or source of randomness. Every input returns the actions to
/// perform, in order; ``nextDeadline`` is the latest time of the next input. The limits of
/// ``Settings`` bound the messages in memory.
struct SessionMachine {
  /// Limits; times are milliseconds.
  struct Settings: Sendable, Hashable {
    var requestTimeout: Int64 = 10_000
    var connectTimeout: Int64 = 30_000
    var maximumPendingCalls = 1000
    var maximumPendingBytes = 4_194_304
    var maximumMessageBytes = 1_048_576
    var reconnection = Reconnection.Settings()
    /// Whether sessions receive the events of the user's groups.
    var receivesGroups = true
  }

  /// The call that an answer belongs to.
  enum Request: Sendable {
    case open
    case close
    case call(EngineCallID, ChannelEffect?)
    /// The machine's own request to re-enter a channel.
    case enter(String)
  }

  let settings: Settings
  var state = SessionState.disconnected
  var goal = SessionGoal.none
  var credentials: SessionCredentials?
  /// The time when the access token was set.
  var tokenTime: Int64 = 0
  var pending = PendingCalls()
  /// The requests sent on this connection without a response.
  var requests: [Int64: Request] = [:]
  var channels: [String: EnteredChannel] = [:]
  var reconnection: Reconnection
  /// The reason why there is no connection, for the caller that waits for the first one.
  var lastReason: DisconnectionReason?
  var lastError: ParleyError?
  /// The actions of the current input so far.
  var actions: [SessionAction] = []
  private var lastRequestID: Int64 = 0

  init(_ settings: Settings) {
    self.settings = settings
    reconnection = Reconnection(settings.reconnection)
  }

  /// Handles one input.
  ///
  /// - Parameters:
  ///   - now: Milliseconds of a monotonic clock.
  ///   - random: A random number that determines the length of a wait.
  /// - Returns: The actions to perform, in order.
  mutating func handle(
    _ input: SessionInput, at now: Int64, random: UInt64
  ) -> [SessionAction] {
    let moment = Moment(now: now, random: random)
    switch input {
    case .open(let id, let credentials): open(id, credentials, moment)
    case .refresh(let id, let token): refresh(id, token, moment)
    case .close(let id): close(id, moment)
    case .call(let id, let call): submit(id, call, moment)
    case .cancel(let id): cancel(id, moment)
    case .withdraw(let id): withdraw(id, moment)
    case .connectionOpened: didConnect(moment)
    case .textReceived(let text): receive(text, moment)
    case .signOfLife: noteLife(moment)
    case .connectionEnded(let end): lose(Loss(end), moment)
    case .timePassed: passTime(moment)
    }
    defer { actions = [] }
    return actions
  }

  /// The time of the next deadline; `nil` if there is none.
  var nextDeadline: Int64? {
    mutating get {
      let deadlines = [pending.soonest?.deadline, stateDeadline, goalDeadline]
      return deadlines.compactMap(\.self).min()
    }
  }

  /// The current time and a random number.
  struct Moment {
    let now: Int64
    let random: UInt64
  }

  /// Whether there is a session for calls, or one is being opened.
  var isWanted: Bool {
    switch (goal, state) {
    case (.none, _), (_, .leaving): false
    case (.first, _), (.lasting, _): true
    }
  }

  /// Registers a request on the current connection and returns its id.
  mutating func register(_ request: Request) -> RPCIdentifier {
    lastRequestID += 1
    requests[lastRequestID] = request
    return RPCIdentifier(lastRequestID)
  }

  mutating func complete(_ id: EngineCallID, _ result: Result<[UInt8], ParleyError>) {
    actions.append(.complete(id, result))
  }

  mutating func deliver(_ event: EngineEvent) {
    actions.append(.deliver(event))
  }

  private var goalDeadline: Int64? {
    if case .first(_, let deadline) = goal { deadline } else { nil }
  }

  private var stateDeadline: Int64? {
    switch state {
    case .disconnected, .connecting: nil
    case .pausing(let until): until
    case .opening(let deadline), .leaving(let deadline, _): deadline
    case .open(let session): deadline(of: session)
    }
  }

  private func deadline(of session: OpenSession) -> Int64 {
    var deadline = session.liveness.deadline
    if let entering = session.entering.values.min() { deadline = min(deadline, entering) }
    if let reconnectAt = session.reconnectAt {
      deadline = min(deadline, reconnectAt + Self.drainPatience)
    }
    if let expiry = session.expiry { deadline = min(deadline, expiry.due) }
    return deadline
  }
}

/// An input of a session: a request of the application, an event of the connection, or time.
enum SessionInput: Sendable {
  case open(EngineCallID, SessionCredentials)
  case refresh(EngineCallID, accessToken: String)
  case close(EngineCallID)
  case call(EngineCallID, EngineCall)
  case cancel(EngineCallID)
  /// Cancels a call unless it was written.
  case withdraw(EngineCallID)

  /// The opening handshake is complete.
  case connectionOpened
  /// A complete text message arrived.
  case textReceived([UInt8])
  /// Any bytes arrived, including only a pong.
  case signOfLife
  case connectionEnded(ConnectionEnd)

  /// A deadline may have passed.
  case timePassed
}

/// The actions that a session requires, in order.
enum SessionAction: Sendable {
  /// Open a connection; there is none.
  case connect
  /// Send a text message.
  case send([UInt8])
  case ping
  /// Close the connection, or stop opening it; its outcome no longer matters.
  case closeConnection(CloseReason)
  /// Return the result to the caller.
  case complete(EngineCallID, Result<[UInt8], ParleyError>)
  /// Deliver the event to the application.
  case deliver(EngineEvent)

  /// The reason for closing a connection from this side.
  enum CloseReason: Sendable, Hashable {
    /// The connection is no longer needed (1000).
    case finished
    /// The server asked the client to leave (1001).
    case goingAway
    /// The server violated the protocol (1002).
    case protocolError
    /// The caller no longer waits.
    case dead
  }
}
