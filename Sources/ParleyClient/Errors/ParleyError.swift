/// The reason why a call failed.
public enum ParleyError: Error, Sendable, Hashable {
  /// Spam-flood protection held the message back; it was neither stored nor delivered (900200).
  case tooManyMessages(retryAfter: Duration)
  /// The connection exceeded the server's rate limit for calls (500910).
  case rateLimited(retryAfter: Duration)
  /// The user is banned from the channel (400750).
  case banned
  /// The user is muted in the channel (900041).
  case muted
  /// The channel is frozen, and the user is not an operator (900050).
  case frozen
  /// The channel must be entered first, or the group joined (900020).
  case notInChannel
  /// The channel, message or user does not exist; the text has the details (400201).
  case notFound(String)
  /// The access token is missing, wrong, expired or revoked, or the user is deactivated (400302,
  /// 400300).
  case unauthorized(String)
  /// The server refused for another reason; `field` names the parameter at fault.
  case refused(code: Int, message: String, field: String?)
  /// The connection was lost before the response arrived: the call may or may not have taken effect.
  case connectionLost
  /// The connection failed at name resolution, TCP, TLS, the proxy or the opening handshake.
  case connectionFailed(String)
  /// No response arrived in time: the call may or may not have taken effect.
  case timedOut
  /// The task was cancelled. A call that was already written may still take effect.
  case cancelled
  /// Neither connected nor connecting: call `connect` first.
  case notConnected
  /// The maximum number of unanswered calls is reached.
  case tooManyPending(limit: Int)
  /// The configuration is invalid; the text has the reason.
  case invalidConfiguration(String)
  /// A file to send cannot be read; the text has the reason.
  case unreadableFile(String)
  /// The server's response violates the protocol; the text names the place.
  case malformedAnswer(String)
}

extension ParleyError {
  /// The error code of the protocol; `nil` for errors detected by the client.
  public var code: Int? {
    switch self {
    case .tooManyMessages: 900_200
    case .rateLimited: 500_910
    case .banned: 400_750
    case .muted: 900_041
    case .frozen: 900_050
    case .notInChannel: 900_020
    case .notFound: 400_201
    case .unauthorized: 400_302
    case .refused(let code, _, _): code
    case .connectionLost, .connectionFailed, .timedOut, .cancelled, .notConnected,
      .tooManyPending, .invalidConfiguration, .unreadableFile, .malformedAnswer:
      nil
    }
  }

  /// The time after which the same call may succeed, if the server reported it.
  public var retryAfter: Duration? {
    switch self {
    case .tooManyMessages(let wait), .rateLimited(let wait): wait
    case .banned, .muted, .frozen, .notInChannel, .notFound, .unauthorized, .refused,
      .connectionLost, .connectionFailed, .timedOut, .cancelled, .notConnected, .tooManyPending,
      .invalidConfiguration, .unreadableFile, .malformedAnswer:
      nil
    }
  }

  /// A description of the error.
  public var message: String {
    switch self {
    case .tooManyMessages(let wait): "too many messages: try again in \(wait)"
    case .rateLimited(let wait): "too many calls: try again in \(wait)"
    case .banned: "the user is banned from the channel"
    case .muted: "the user is muted in the channel"
    case .frozen: "the channel is frozen: only operators may send"
    case .notInChannel: "the channel has to be entered first, or the group joined"
    case .notFound(let reason), .unauthorized(let reason): reason
    case .refused(_, let reason, _): reason
    case .connectionLost: "the connection was lost before the answer came"
    case .connectionFailed(let reason): "no connection: \(reason)"
    case .timedOut: "no answer came in time"
    case .cancelled: "the call was cancelled"
    case .notConnected: "the client is not connected"
    case .tooManyPending(let limit): "\(limit) calls wait for their answers already"
    case .invalidConfiguration(let reason): "the configuration can't be used: \(reason)"
    case .unreadableFile(let reason): "the file can't be read: \(reason)"
    case .malformedAnswer(let reason): "the server's answer can't be read: \(reason)"
    }
  }
}

extension ParleyError: CustomStringConvertible {
  /// The message, and the error code if there is one.
  public var description: String {
    code.map { "\(message) (\($0))" } ?? message
  }
}
