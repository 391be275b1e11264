internal import Basics

/// An answer of a service that delivers pushes.
package struct PushAnswer: Sendable, Hashable {
  package static let byteLimit = 65_536

  package var status: Int
  /// The field `Retry-After`, if it was given.
  package var retryAfter: String?
  /// At most ``byteLimit`` bytes.
  package var body: [UInt8]

  package init(status: Int, retryAfter: String? = nil, body: [UInt8] = []) {
    self.status = status
    self.retryAfter = retryAfter
    self.body = body
  }

  /// The wait that the service requests, in milliseconds; `nil` if it requests none.
  ///
  /// - Parameter now: Unix milliseconds.
  func requestedWait(at now: Int64) -> Int64? {
    retryAfter.flatMap { RetryAfter.milliseconds($0, at: now) }
  }
}

/// The meaning of an answer, or of none.
package enum PushOutcome: Sendable, Hashable {
  /// The service has accepted the push.
  case sent
  /// The device no longer has the token.
  case forgetToken(PushFault)
  /// The service accepts nothing now; `after` is the wait that it requests, in milliseconds.
  case wait(after: Int64?, PushFault)
  /// The server's own credential has expired.
  case renewCredential(PushFault)
  /// The operator's settings are wrong; nothing is forgotten.
  case alarm(PushFault)
  /// The service does not accept so large a message: once more without a body.
  case tooLarge(PushFault)
  /// The push is wrong, and would be wrong again.
  case failed(PushFault)

  /// The service was not reached, or did not answer in time.
  package static func unanswered(_ reason: String) -> PushOutcome {
    .wait(after: nil, PushFault(0, reason))
  }
}

/// The reason of a service, for logs and `push status`.
package struct PushFault: Sendable, Hashable, CustomStringConvertible {
  /// 0 without an answer.
  package let status: Int
  /// The service's word for it; empty if it gave none.
  package let reason: String

  private static let reasonLimit = 80

  package init(_ status: Int, _ reason: String = "") {
    self.status = status
    self.reason = DisplayText.line(reason, limit: Self.reasonLimit)
  }

  package var description: String {
    switch (status, reason.isEmpty) {
    case (0, true): "no answer"
    case (0, false): reason
    case (_, true): "status \(status)"
    case (_, false): "status \(status), \(reason)"
    }
  }
}
