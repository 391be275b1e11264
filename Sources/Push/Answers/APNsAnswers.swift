internal import ParleyProtocol

/// The answers of APNs.
package enum APNsAnswers {
  /// The meaning of an answer.
  ///
  /// - Parameters:
  ///   - registeredAt: The time of the token's registration, in Unix milliseconds.
  ///   - now: Unix milliseconds.
  package static func outcome(
    of answer: PushAnswer, registeredAt: Int64, at now: Int64
  ) -> PushOutcome {
    let limits = JSONLimits(byteCount: PushAnswer.byteLimit, depth: 4, nodeCount: 50)
    let body = try? JSONDocument(answer.body, limits: limits).root
    let reason = body?["reason"]?.string ?? ""
    let fault = PushFault(answer.status, reason)
    switch answer.status {
    case 200: return .sent
    case 400: return badRequest(reason, fault)
    case 403: return reason == "ExpiredProviderToken" ? .renewCredential(fault) : .alarm(fault)
    case 410:
      // The app may have registered the token again since then.
      guard let timestamp = body?["timestamp"]?.integer, timestamp <= registeredAt else {
        return .forgetToken(fault)
      }
      return .failed(fault)
    case 429, 500...599: return .wait(after: answer.requestedWait(at: now), fault)
    default: return .failed(fault)
    }
  }

  private static func badRequest(_ reason: String, _ fault: PushFault) -> PushOutcome {
    switch reason {
    case "BadDeviceToken", "DeviceTokenNotForTopic": .forgetToken(fault)
    case "BadTopic", "MissingTopic", "TopicDisallowed": .alarm(fault)
    case "IdleTimeout": .wait(after: nil, fault)
    default: .failed(fault)
    }
  }
}
