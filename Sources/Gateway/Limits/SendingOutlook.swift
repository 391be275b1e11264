import FloodControl
import ParleyProtocol
import Store

/// What would become of a user's next message to a channel, and of others' messages to the user.
struct SendingOutlook: Sendable {
  /// A limit with the user's window in it.
  struct Window: Sendable {
    let limit: RateLimit
    let source: LimitSource
    /// Whether the user is an operator whom the limit does not hold.
    let isExempt: Bool
    /// Messages in the window.
    let count: Int
  }

  /// Why the next message would be refused.
  struct Refusal: Sendable {
    let error: ServiceError
    /// The ban or mute behind it.
    let restriction: Restriction?
  }

  let userID: String
  let channelURL: String
  let isParticipant: Bool
  let isOperator: Bool
  let flood: Window
  /// Milliseconds until the flood limit lets a message pass; 0 when it does.
  let floodWait: Int64
  /// The window of changes, under the same limit.
  let changes: Window
  /// Milliseconds until the flood limit lets a change pass; 0 when it does.
  let changeWait: Int64
  let throttle: Window
  /// Messages withheld from the user since it was last told of any.
  let withheldCount: Int
  /// In the order of the checks, so that the first is what the sender would be told.
  let refusals: [Refusal]
}

extension HomeChannel {
  /// Looks at a user's windows without changing them.
  func outlook(for account: Account) -> SendingOutlook {
    let userID = account.user.id
    let now = services.clock.now
    let usage = floodGate.usage(of: userID, at: now, limit: floodLimit)
    let isExempt = isExemptFromFlood(userID)
    let wait = isExempt ? 0 : usage.wait ?? 0
    let changes = floodGate.usage(of: userID, .change, at: now, limit: floodLimit)
    let throttle = stage.throttle(of: userID)
    let shown = throttle?.shownCount(at: max(now, lastCreatedAt), limit: throttleLimit)
    return SendingOutlook(
      userID: userID, channelURL: url, isParticipant: stage.contains(userID),
      isOperator: isOperator(userID),
      flood: SendingOutlook.Window(
        limit: floodLimit, source: limitSource(.flood), isExempt: isExempt, count: usage.used),
      floodWait: wait,
      changes: SendingOutlook.Window(
        limit: floodLimit, source: limitSource(.flood), isExempt: isExempt, count: changes.used),
      changeWait: isExempt ? 0 : changes.wait ?? 0,
      throttle: SendingOutlook.Window(
        limit: throttleLimit, source: limitSource(.throttle), isExempt: isOperator(userID),
        count: shown ?? 0),
      withheldCount: throttle?.withheld?.count ?? 0, refusals: refusals(of: account, wait: wait))
  }

  private func refusals(of account: Account, wait: Int64) -> [SendingOutlook.Refusal] {
    let userID = account.user.id
    var refusals: [SendingOutlook.Refusal] = []
    if !account.isActive {
      refusals.append(.init(error: .deactivated(userID), restriction: nil))
    }
    for obstacle in SendingObstacle.allCases where stands(obstacle, against: userID) {
      refusals.append(
        .init(
          error: obstacle.refusal(inChannel: url),
          restriction: restriction(behind: obstacle, of: userID)))
    }
    if wait > 0 {
      let error = ServiceError.flood(
        retryAfter: wait, limit: floodLimit.count, window: floodLimit.windowMilliseconds)
      refusals.append(.init(error: error, restriction: nil))
    }
    return refusals
  }

  private func restriction(
    behind obstacle: SendingObstacle, of userID: String
  ) -> Restriction? {
    switch obstacle {
    case .banned: bans[userID]
    case .muted: mutes[userID]
    case .absent, .frozen: nil
    }
  }
}
