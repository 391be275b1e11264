internal import Basics

/// How a push ended.
///
/// The raw values are the label `outcome` of `parley_push_total`.
package enum PushResult: String, Sendable, CaseIterable {
  case sent
  /// The device no longer has the token.
  case rejected
  case failed
  /// Older than `push.max_age_seconds`.
  case expired
  /// Too many pushes of the sender.
  case limited
  /// The user read the message before.
  case read
}

/// The consequence of an attempt to send a push.
package enum PushStep: Sendable, Hashable {
  /// - `forgets`: Whether the token is removed.
  case finished(PushResult, forgets: Bool)
  /// Another attempt at a time in Unix milliseconds.
  case again(at: Int64)
  /// Another attempt at once, with a new credential.
  case againWithNewCredential
  /// Another attempt at once, without a body.
  case againWithoutBody
}

/// The attempts to send one message to one token.
package struct PushAttempts: Sendable, Hashable {
  /// From half a second to 1 s after the first failure, then twice as long each time, up to 5 minutes.
  private static let backoff = Backoff(first: 1_000, limit: 300_000, jitter: .equal)
  /// The wait while another push tries a paused host.
  private static let shortestPause: Int64 = 1_000

  /// The time of the message in Unix milliseconds.
  private let createdAt: Int64
  /// The number of attempts that failed and are repeated.
  package private(set) var failures: Int
  private var hasRenewed = false
  package private(set) var isWithoutBody = false

  /// - Parameter failures: The number of earlier attempts that failed.
  package init(createdAt: Int64, failures: Int = 0) {
    self.createdAt = createdAt
    self.failures = failures
  }

  /// Notes the outcome of an attempt.
  ///
  /// - Parameters:
  ///   - now: Unix milliseconds.
  ///   - maximumAge: In milliseconds.
  ///   - random: Any number; spreads attempts that failed together.
  package mutating func receive(
    _ outcome: PushOutcome, at now: Int64, maximumAge: Int64, random: UInt64
  ) -> PushStep {
    switch outcome {
    case .sent: return .finished(.sent, forgets: false)
    case .forgetToken: return .finished(.rejected, forgets: true)
    case .wait(let requested, _):
      return retry(after: requested, at: now, maximumAge: maximumAge, random: random)
    case .renewCredential:
      guard !hasRenewed else { return .finished(.failed, forgets: false) }
      hasRenewed = true
      return .againWithNewCredential
    case .tooLarge:
      guard !isWithoutBody else { return .finished(.failed, forgets: false) }
      isWithoutBody = true
      return .againWithoutBody
    case .alarm, .failed: return .finished(.failed, forgets: false)
    }
  }

  /// Postpones an attempt for which the host is paused, which is no failure of this push.
  ///
  /// - Parameter wait: In milliseconds; `nil` while another push tries the host.
  package func postponed(by wait: Int64?, at now: Int64, maximumAge: Int64) -> PushStep {
    again(at: now + (wait ?? Self.shortestPause), maximumAge: maximumAge)
  }

  private mutating func retry(
    after requested: Int64?, at now: Int64, maximumAge: Int64, random: UInt64
  ) -> PushStep {
    failures += 1
    let wait = max(Self.backoff.wait(after: failures, random: random), requested ?? 0)
    return again(at: now + wait, maximumAge: maximumAge)
  }

  private func again(at time: Int64, maximumAge: Int64) -> PushStep {
    time - createdAt <= maximumAge ? .again(at: time) : .finished(.expired, forgets: false)
  }
}
