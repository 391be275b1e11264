internal import ParleyProtocol

/// The answers of the operator's own service (`push.url`).
package enum PushNoticeAnswers {
  /// The meaning of an answer for the notice as a whole.
  ///
  /// - Parameter now: Unix milliseconds.
  package static func outcome(of answer: PushAnswer, at now: Int64) -> PushOutcome {
    let fault = PushFault(answer.status)
    switch answer.status {
    case 200...299: return .sent
    default: return .wait(after: answer.requestedWait(at: now), fault)
    }
  }

  /// The devices of a notice that the service rejects; others that it names are ignored.
  ///
  /// An answer that is not JSON rejects none.
  package static func rejected(
    by answer: PushAnswer, of notice: PushNotice
  ) -> Set<PushNotice.Recipient.Device> {
    let nodeLimit = 16 * PushNotice.recipientLimit
    let limits = JSONLimits(byteCount: PushAnswer.byteLimit, depth: 6, nodeCount: nodeLimit)
    guard (200...299).contains(answer.status),
      let list = try? JSONDocument(answer.body, limits: limits).root["rejected"],
      list.kind == .array
    else { return [] }
    let sent = Set(notice.recipients.flatMap(\.devices))
    var rejected: Set<PushNotice.Recipient.Device> = []
    for item in list.elements {
      guard item.kind == .object, let type = item["type"]?.string.flatMap(PushTokenType.init),
        let token = item["token"]?.string
      else { continue }
      let device = PushNotice.Recipient.Device(type: type, name: type.normalized(token))
      if sent.contains(device) { rejected.insert(device) }
    }
    return rejected
  }
}
