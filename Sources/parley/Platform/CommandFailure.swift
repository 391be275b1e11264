internal import ParleyClient

/// Why a call had no success, for the operator, and what the process then ends with.
enum CommandFailure: Error, CustomStringConvertible {
  /// The gateway said no.
  case refused(String, code: Int)
  /// No gateway answered.
  case unreachable(String)
  /// The answer did not get to where it was to go.
  case unwritable(String)

  private static let wrongAPIToken = 400_401

  init(_ error: ParleyError) {
    switch error {
    case .connectionLost, .connectionFailed, .timedOut, .notConnected, .malformedAnswer, .cancelled:
      self = .unreachable(error.message)
    case .invalidConfiguration, .tooManyPending: self = .refused(error.message, code: 0)
    default: self = .refused(error.message, code: error.code ?? 0)
    }
  }

  /// A session that was not opened.
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
    default: self.init(error)
    }
  }

  /// A call that had no answer.
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
    case .unwritable(let reason): "the answer can't be written: \(reason)"
    }
  }

  private static func line(_ text: String) -> String { PlainLine.clean(text, limit: 600) }

  /// 1 for what was refused, 2 when nobody could be asked, 74 (`EX_IOERR`) for a lost answer.
  var exitStatus: Int32 {
    switch self {
    case .refused: 1
    case .unreachable: 2
    case .unwritable: 74
    }
  }
}

/// What an operator may do when a gateway is not reached.
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
    case .address: "is the gateway running, and is --server where it listens?"
    case .proxy: "the environment names that proxy; no_proxy may name the gateway"
    case .authority: "--ca-certificate trusts an authority of your own"
    case .name: "--server has to have the name that the certificate is made out to"
    case .plain: "does the gateway speak TLS there? else --server begins with http://"
    case .tls: "does the gateway speak TLS there? then --server begins with https://"
    case .apiToken: "see --api-token-file: a gateway has it in the file api-token of its data_dir"
    case .accessToken: "'parley user token issue' makes a token for --access-token"
    }
  }
}
