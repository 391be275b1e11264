internal import ParleyClient

/// Why a call had no success, for the operator, and what the process then ends with.
enum CommandFailure: Error, CustomStringConvertible {
  /// The gateway said no.
  case refused(String, code: Int)
  /// No gateway answered.
  case unreachable(String)

  init(_ error: ParleyError) {
    switch error {
    case .connectionLost, .connectionFailed, .timedOut, .notConnected, .malformedAnswer, .cancelled:
      self = .unreachable(error.message)
    case .invalidConfiguration, .tooManyPending: self = .refused(error.message, code: 0)
    default: self = .refused(error.message, code: error.code ?? 0)
    }
  }

  var description: String {
    switch self {
    case .refused(let text, 0): PlainLine.clean(text)
    case .refused(let text, let code): "\(PlainLine.clean(text)) (\(code))"
    case .unreachable(let text): PlainLine.clean(text)
    }
  }

  /// 1 for what was refused, 2 when nobody could be asked.
  var exitStatus: Int32 {
    switch self {
    case .refused: 1
    case .unreachable: 2
    }
  }
}
