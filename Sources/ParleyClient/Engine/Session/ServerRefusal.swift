internal import ParleyProtocol

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
