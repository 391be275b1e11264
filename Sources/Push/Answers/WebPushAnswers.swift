/// The answers of the push services of browsers (RFC 8030).
package enum WebPushAnswers {
  /// The meaning of an answer.
  ///
  /// - Parameter now: Unix milliseconds.
  package static func outcome(of answer: PushAnswer, at now: Int64) -> PushOutcome {
    let fault = PushFault(answer.status)
    switch answer.status {
    case 200...299: return .sent
    case 401, 403: return .alarm(fault)
    case 404, 410: return .forgetToken(fault)
    case 413: return .tooLarge(fault)
    case 429, 500...599: return .wait(after: answer.requestedWait(at: now), fault)
    default: return .failed(fault)
    }
  }
}
