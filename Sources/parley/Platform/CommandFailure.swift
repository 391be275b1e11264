internal import Bytes
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

  private static func line(_ text: String) -> String { DisplayText.shortened(text, limit: 600) }

  /// 1 for what was refused, 2 when nobody could be asked, 74 (`EX_IOERR`) for a lost answer.
  var exitStatus: Int32 {
    switch self {
    case .refused: 1
    case .unreachable: 2
    case .unwritable: 74
    }
  }
}
