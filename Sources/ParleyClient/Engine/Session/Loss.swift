internal import ClientTransport
internal import ParleyProtocol
internal import WebSocket

/// The effect of the end of a connection on the session.
struct Loss: Sendable {
  /// Whether the client comes back.
  enum Return: Sendable {
    /// After a pause of at least this number of milliseconds.
    case after(Int64)
    /// A first connection fails, a lasting session comes back.
    case onlyIfLasting
    /// Never: trying again would do no good, or harm.
    case never
  }

  /// The treatment of calls that may be repeated.
  enum Repetition: Sendable {
    case allowed
    /// Their answers are suspected of having ended the connection.
    case suspected(String)
  }

  let reason: DisconnectionReason
  let comeBack: Return
  var repetition = Repetition.allowed
  /// The error for callers if the client does not reconnect.
  let error: ParleyError

  init(_ reason: DisconnectionReason, _ comeBack: Return, error: ParleyError = .connectionLost) {
    self.reason = reason
    self.comeBack = comeBack
    self.error = error
  }

  init(_ end: ConnectionEnd) {
    switch end {
    case .closedByPeer(let code, let text): self.init(closeCode: code, text: text)
    case .failed(let failure): self.init(failure)
    }
  }

  /// See the close codes of the protocol.
  private init(closeCode code: CloseCode?, text: String) {
    let words = text.isEmpty ? "closed with \(code?.description ?? "no code")" : text
    switch code?.rawValue {
    case 1001: self.init(.serverDraining, .after(0))
    case 1002, 1003, 1007, 1008, 1009, 1010: self.init(.protocolViolation(words), .never)
    case 1011, 1012, 1013: self.init(.serverUnavailable(words), .after(0))
    case 4002: self.init(.unauthorized(words), .never, error: .unauthorized(words))
    case 4003: self.init(.tooManySessions, .never)
    case 4004, 4005: self.init(.tooSlow(words), .after(0))
    default: self.init(.lost(words), .after(0))
    }
  }

  private init(_ failure: ConnectionFailure) {
    let words = failure.reason
    let error = ParleyError.connectionFailed(words)
    switch failure.kind {
    case .temporary: self.init(.unreachable(words), .after(0), error: error)
    case .lasting: self.init(.unreachable(words), .onlyIfLasting, error: error)
    case .unauthorized: self.init(.unauthorized(words), .never, error: .unauthorized(words))
    case .unavailable(let wait):
      self.init(.serverUnavailable(words), .after(wait ?? 0), error: error)
    case .lost: self.init(.lost(words), .after(0))
    case .protocolViolation, .messageTooLarge:
      self.init(.protocolViolation(words), .after(0))
      repetition = .suspected(words)
    }
  }
}

extension ParleyError {
  /// The error for a refusal of the server.
  init(_ refusal: ServiceError) {
    let wait = Duration.milliseconds(max(0, refusal.data.retryAfterMilliseconds ?? 1000))
    switch refusal.code {
    case .flood: self = .tooManyMessages(retryAfter: wait)
    case .rateLimited: self = .rateLimited(retryAfter: wait)
    case .banned: self = .banned
    case .muted: self = .muted
    case .frozen: self = .frozen
    case .notInChannel: self = .notInChannel
    case .notFound: self = .notFound(refusal.message)
    case .invalidAccessToken, .userDeactivated: self = .unauthorized(refusal.message)
    default:
      self = .refused(
        code: refusal.code.rawValue, message: refusal.message, field: refusal.data.field)
    }
  }
}

extension ServiceError {
  /// Whether the same request may succeed a little later.
  var isTransient: Bool {
    switch code {
    case .internalError, .internalRPCError, .rateLimited, .tooManyConnections: true
    default: false
    }
  }
}
