internal import ClientTransport
internal import ParleyProtocol

/// The effect of a closed connection on the session.
struct Loss: Sendable {
  /// Whether the client reconnects.
  enum Return: Sendable {
    /// After a pause of at least this number of milliseconds.
    case after(Int64)
    /// A first connection fails, an established session reconnects.
    case onlyIfLasting
    /// Never: a retry would be useless or harmful.
    case never
  }

  /// The handling of calls that may be repeated.
  enum Repetition: Sendable {
    case allowed
    /// Their responses may have caused the connection to close.
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

  /// See the close codes of RFC 6455 §7.4.1 and of the protocol.
  private init(closeCode code: UInt16?, text: String) {
    let words = text.isEmpty ? "closed with \(code?.description ?? "no code")" : text
    switch code {
    case CloseCodes.goingAway: self.init(.serverDraining, .after(0))
    case CloseCodes.protocolError, CloseCodes.unsupportedData, CloseCodes.invalidPayload,
      CloseCodes.policyViolation, CloseCodes.messageTooBig, CloseCodes.mandatoryExtension:
      self.init(.protocolViolation(words), .never)
    case CloseCodes.internalError, CloseCodes.serviceRestart, CloseCodes.tryAgainLater:
      self.init(.serverUnavailable(words), .after(0))
    case CloseCodes.unauthorized:
      self.init(.unauthorized(words), .never, error: .unauthorized(words))
    case CloseCodes.tooManySessions: self.init(.tooManySessions, .never)
    case CloseCodes.slowConsumer, CloseCodes.pongTimeout: self.init(.tooSlow(words), .after(0))
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

/// The close codes with a meaning for the session.
private enum CloseCodes {
  static let goingAway: UInt16 = 1001
  static let protocolError: UInt16 = 1002
  static let unsupportedData: UInt16 = 1003
  static let invalidPayload: UInt16 = 1007
  static let policyViolation: UInt16 = 1008
  static let messageTooBig: UInt16 = 1009
  static let mandatoryExtension: UInt16 = 1010
  static let internalError: UInt16 = 1011
  static let serviceRestart: UInt16 = 1012
  static let tryAgainLater: UInt16 = 1013
  // The codes of the protocol.
  static let unauthorized: UInt16 = 4002
  static let tooManySessions: UInt16 = 4003
  static let slowConsumer: UInt16 = 4004
  static let pongTimeout: UInt16 = 4005
}

extension ParleyError {
  /// The error for a refusal by the server.
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
  /// Whether the same request may succeed shortly after.
  var isTransient: Bool {
    switch code {
    case .internalError, .internalRPCError, .rateLimited, .tooManyConnections: true
    default: false
    }
  }
}
