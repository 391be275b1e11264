internal import Basics
internal import ParleyClient

/// The failure of a command, with the exit status of the process.
enum CommandFailure: Error, CustomStringConvertible {
  /// The gateway rejected the call.
  case refused(String, code: Int)
  /// The gateway could not be reached.
  case unreachable(String)
  /// The answer could not be written.
  case unwritable(String)

  /// The error code for an object that does not exist.
  static let notFound = 400_201
  /// The error code for an unknown path.
  static let noSuchEndpoint = 400_930
  private static let wrongAPIToken = 400_401

  init(_ error: ParleyError) {
    switch error {
    case .connectionLost, .connectionFailed, .timedOut, .notConnected, .malformedAnswer, .cancelled:
      self = .unreachable(error.message)
    case .invalidConfiguration, .tooManyPending: self = .refused(error.message, code: 0)
    case .tooManyMessages, .rateLimited, .banned, .muted, .frozen, .notInChannel, .notFound,
      .unauthorized, .refused, .unreadableFile:
      self = .refused(error.message, code: error.code ?? 0)
    }
  }

  /// Describes a session that could not be opened.
  init(_ error: ParleyError, connectingTo base: String) {
    switch error {
    case .connectionFailed(let reason):
      let isAboutTrust = reason.contains("certificate")
      let advice = isAboutTrust ? Advice.authority : .address
      self = .unreachable("\(base) does not answer: \(reason); \(advice.text)")
    case .timedOut:
      self = .unreachable("\(base) does not answer in time; \(Advice.address.text)")
    case .unauthorized(let reason):
      self = .refused("\(reason); \(Advice.accessToken.text)", code: error.code ?? 0)
    case .connectionLost, .notConnected, .malformedAnswer, .cancelled, .invalidConfiguration,
      .tooManyPending, .tooManyMessages, .rateLimited, .banned, .muted, .frozen, .notInChannel,
      .notFound, .refused, .unreadableFile:
      self.init(error)
    }
  }

  /// Describes a call without a response.
  init(_ failure: TransferFailure, connectingTo base: String) {
    let advice = failure.advice.map { "; \($0.text)" } ?? ""
    self = .unreachable("\(base) does not answer: \(failure.reason)\(advice)")
  }

  var description: String {
    switch self {
    case .refused(let text, 0): Self.line(text)
    case .refused(let text, Self.wrongAPIToken):
      Self.line("\(text) (\(Self.wrongAPIToken)); \(Advice.apiToken.text)")
    case .refused(let text, let code): "\(Self.line(text)) (\(code))"
    case .unreachable(let text): Self.line(text)
    case .unwritable(let reason): "the answer cannot be written: \(reason)"
    }
  }

  private static func line(_ text: String) -> String { DisplayText.shortened(text, limit: 600) }

  /// 1 for a rejected call, 2 for an unreachable gateway, 74 (`EX_IOERR`) for a lost answer.
  var exitStatus: Int32 {
    switch self {
    case .refused: 1
    case .unreachable: 2
    case .unwritable: 74
    }
  }
}

/// Advice for an operator whose gateway cannot be reached.
enum Advice {
  case address
  case proxy
  case authority
  case name
  case plain
  case tls
  case apiToken
  case accessToken

  var text: String {
    switch self {
    case .address: "check that the gateway is running and listens at --server"
    case .proxy: "check the proxy in the environment, or add the gateway to no_proxy"
    case .authority: "use --ca-certificate to trust your own certificate authority"
    case .name: "use the host name of the certificate in --server"
    case .plain: "check that the gateway uses TLS there, or use http:// in --server"
    case .tls: "if the gateway uses TLS there, use https:// in --server"
    case .apiToken:
      "give --api-token-file: the token is in the file api-token in the gateway's data_dir"
    case .accessToken: "issue a token with 'parley user token issue' and give it as --access-token"
    }
  }
}
