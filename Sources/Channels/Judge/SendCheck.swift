package import FloodControl
package import ParleyProtocol

/// The outcome that a user's next message to a channel would have, and the user's windows.
package struct SendCheck: Sendable {
  /// A flood window.
  package struct Window: Sendable, Hashable {
    /// Places taken in the window.
    package let used: Int
    /// Milliseconds until another place is available; 0 if one is available now.
    package let wait: Int64
  }

  /// An obstacle with the ban or mute that causes it.
  package struct Refusal: Sendable {
    package let error: ServiceError
    package let restriction: Restriction?

    package init(error: ServiceError, restriction: Restriction?) {
      self.error = error
      self.restriction = restriction
    }
  }

  package let isParticipant: Bool
  package let isOperator: Bool
  /// Whether the user is exempt from the flood limit.
  package let isExempt: Bool
  package let floodLimit: RateLimit
  /// The `created_at` that a message would get, in Unix milliseconds.
  package let createdAt: Int64
  package let sends: Window
  package let changes: Window
  /// In the order of the checks: the first is the answer that the sender would get.
  package let refusals: [Refusal]

  init(of userID: String, _ userRefusals: [ServiceError], in standing: Standing, at now: Moment) {
    let (rights, flood) = (standing.rights, standing.flood)
    isParticipant = rights.isPresent(userID)
    isOperator = rights.isOperator(userID)
    let isExempt = rights.isExemptFromFlood(userID)
    self.isExempt = isExempt
    floodLimit = flood.limit
    createdAt = standing.count.nextCreatedAt(at: now)
    sends = Window(flood.usage(of: userID, .send, at: now.monotonic), isExempt: isExempt)
    changes = Window(flood.usage(of: userID, .change, at: now.monotonic), isExempt: isExempt)
    var refusals: [Refusal] = []
    for obstacle in SendingObstacle.allCases
    where rights.stands(obstacle, against: userID, at: now.unix) {
      let restriction: Restriction? =
        switch obstacle {
        case .banned: rights.restriction(.ban, of: userID, at: now.unix)
        case .muted: rights.restriction(.mute, of: userID, at: now.unix)
        case .absent, .frozen: nil
        }
      refusals.append(
        Refusal(error: rights.refusal(by: obstacle), restriction: restriction))
    }
    if !isExempt { refusals += userRefusals.map { Refusal(error: $0, restriction: nil) } }
    if sends.wait > 0 {
      let error = ServiceError.flood(
        retryAfter: sends.wait, limit: flood.limit.count, window: flood.limit.windowMilliseconds)
      refusals.append(Refusal(error: error, restriction: nil))
    }
    self.refusals = refusals
  }
}

extension SendCheck.Window {
  fileprivate init(_ usage: WindowUsage, isExempt: Bool) {
    used = usage.used
    wait = isExempt ? 0 : usage.wait ?? 0
  }
}

/// A reason that prevents a user from sending any message to a channel, in the order of the checks.
enum SendingObstacle: CaseIterable, Sendable {
  case banned
  case absent
  case frozen
  case muted
}
