internal import ClientTransport

/// A session's connection over a WebSocket, or over a stream where WebSockets are blocked.
///
/// Attempts that a ``TransportChoice`` follows by another transport are not reported to the session.
final class AutomaticConnection: ServerConnection {
  /// Two WebSockets and a stream.
  private static let attemptLimit = 3

  private let plan: ConnectionPlan
  private unowned let context: any LaneContext
  private weak var owner: (any ServerConnectionOwner)?
  private let memory: TransportMemory
  private var current: (any ServerConnection)?
  private var attempts = 0
  /// Whether the server has accepted the current attempt.
  private var isOpen = false
  /// The failure of the first WebSocket, which a stream follows.
  private var refusal: ConnectionFailure?

  init(
    _ plan: ConnectionPlan, owner: any ServerConnectionOwner, in context: any LaneContext
  ) {
    self.plan = plan
    self.owner = owner
    self.context = context
    memory = .of(context)
  }

  func start() {
    attempts += 1
    switch memory[plan].transport(at: context.now) {
    case .webSocket:
      var plan = plan
      if memory[plan].hasAlternative(at: context.now) {
        plan.handshakeTimeout = TransportChoice.handshakePatience
      }
      current = context.connect(by: plan, owner: self)
    case .stream:
      let stream = StreamConnection(plan, owner: self, in: context)
      current = stream
      stream.start()
    }
  }

  func send(_ text: [UInt8]) { current?.send(text) }

  func ping() { current?.ping() }

  func close(_ code: ClosingCode) {
    owner = nil
    current?.close(code)
    current = nil
  }

  func drop() {
    owner = nil
    // The session waited for the answer in vain.
    if !isOpen, current is StreamConnection { note(.streamFailed) }
    current?.drop()
    current = nil
  }

  private func note(_ outcome: TransportChoice.Outcome) {
    memory[plan].note(outcome, at: context.now)
  }

  /// Handles the failure of a WebSocket that was not open.
  ///
  /// - Returns: The failure to report; `nil` if another attempt follows.
  private func takeWebSocket(_ failure: ConnectionFailure) -> ConnectionFailure? {
    note(.webSocketFailed(handshake: failure.handshake))
    guard failure.handshake != nil, attempts < Self.attemptLimit,
      memory[plan].hasAlternative(at: context.now)
    else { return failure }
    refusal = refusal ?? failure
    start()
    return nil
  }

  /// Handles the failure of a stream that was not open.
  ///
  /// A server without streams is one that refused the WebSocket for a reason of its own.
  private func takeStream(
    _ stream: StreamConnection, _ failure: ConnectionFailure
  ) -> ConnectionFailure {
    guard stream.isMissing else {
      note(.streamFailed)
      return failure.kind == .lasting ? refusal ?? failure : failure
    }
    note(.streamsMissing)
    // WebSockets follow.
    return refusal ?? ConnectionFailure(.temporary, failure.reason)
  }
}

extension AutomaticConnection: ServerConnectionOwner {
  func connectionDidOpen(_ connection: any ServerConnection) {
    if !(connection is StreamConnection) {
      isOpen = true
      note(.webSocketOpened)
    }
    owner?.connectionDidOpen(self)
  }

  func connection(_ connection: any ServerConnection, received text: [UInt8]) {
    if !isOpen {
      isOpen = true
      note(.streamOpened)
    }
    owner?.connection(self, received: text)
  }

  func connectionShowedLife(_ connection: any ServerConnection) {
    owner?.connectionShowedLife(self)
  }

  func connection(_ connection: any ServerConnection, ended end: ConnectionEnd) {
    current = nil
    var end = end
    if case .failed(let failure) = end, !isOpen {
      if let stream = connection as? StreamConnection {
        end = .failed(takeStream(stream, failure))
      } else if let failure = takeWebSocket(failure) {
        end = .failed(failure)
      } else {
        return
      }
    }
    let owner = owner
    self.owner = nil
    owner?.connection(self, ended: end)
  }
}
