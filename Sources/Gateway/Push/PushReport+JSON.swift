import ParleyProtocol
import Push
import PushDelivery

extension PushReport {
  /// Writes the state of a server that sends no pushes.
  static func encodeNone(into writer: inout JSONWriter) {
    writer.object {
      $0.member("ways", array: { _ in })
      $0.member("paused_hosts", array: { _ in })
      $0.member("backlog", 0)
      $0.member("oldest_ms", 0)
      $0.member("tokens", object: { _ in })
    }
  }

  /// - Parameters:
  ///   - now: Unix milliseconds.
  ///   - webKey: The key that browsers subscribe with; `nil` when none are sent to browsers.
  func encode(
    at now: Int64, _ counters: PushCounters, webKey: String?, into writer: inout JSONWriter
  ) {
    writer.object {
      $0.member("ways", array: { for way in ways { way.encode(counters, into: &$0) } })
      $0.member("paused_hosts", pausedHosts)
      $0.member("backlog", backlog)
      $0.member("oldest_ms", oldest.map { max(0, now - $0) } ?? 0)
      $0.member(
        "tokens",
        object: {
          for type in PushTokenType.allCases {
            $0.name(escaping: type.rawValue)
            $0.value(counters.tokenCount(type))
          }
        })
      $0.member("web_key", ifKnown: webKey)
    }
  }
}

extension PushReport.Way {
  fileprivate func encode(_ counters: PushCounters, into writer: inout JSONWriter) {
    writer.object {
      $0.member("type", way.name)
      $0.member("state", isFailing ? "failing" : "on")
      $0.member("sent", counters[way, .sent])
      $0.member("failed", counters[way, .failed])
      $0.member("last_success_at", lastSuccess ?? 0)
      $0.member("last_failure_at", lastFailure ?? 0)
      if !reason.isEmpty { $0.member("last_error", reason) }
    }
  }
}

extension PushTestResult {
  func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("type", type.rawValue)
      $0.member("token", token)
      $0.member("outcome", outcome)
      if !problem.isEmpty { $0.member("reason", problem) }
    }
  }

  private var outcome: String {
    switch result {
    case .sent: "sent"
    case .rejected: "rejected"
    case .failed, .expired, .limited, .read: "failed"
    case nil: "unavailable"
    }
  }
}

extension PushExplanation {
  /// Writes the members about the judgement.
  func encode(into writer: inout JSONWriter) {
    writer.member("pushed", refusal == nil)
    if let refusal { writer.member("reason", refusal.rawValue) }
    writer.member("tokens", array: { for device in devices { device.encode(into: &$0) } })
  }
}

extension PushExplanation.Device {
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("type", type.rawValue)
      $0.member("token", token)
      $0.member("last_success_at", lastSuccessAt)
    }
  }
}
