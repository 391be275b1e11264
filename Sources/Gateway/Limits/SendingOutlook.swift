import Channels
import Configuration
import FloodControl
import ParleyProtocol
import Store

/// The expected outcome of a user's next message to a channel, and of others' messages to the user.
struct SendingOutlook: Sendable {
  /// A limit with the user's window in it.
  struct Window: Sendable {
    let limit: RateLimit
    let source: LimitSource
    /// Whether the user is an operator to whom the limit does not apply.
    let isExempt: Bool
    /// Messages in the window.
    let count: Int
  }

  let userID: String
  let channelURL: String
  let isParticipant: Bool
  let isOperator: Bool
  let flood: Window
  /// Milliseconds until the flood limit lets a message pass; 0 when it does.
  let floodWait: Int64
  /// The window of messages to all channels together, on the server of the channel's home.
  let userFlood: Window
  /// Milliseconds until that limit lets a message pass; 0 when it does.
  let userFloodWait: Int64
  /// The window of changes, under the same limit.
  let changes: Window
  /// Milliseconds until the flood limit lets a change pass; 0 when it does.
  let changeWait: Int64
  let throttle: Window
  /// Messages withheld from the user since its last `channel.throttled`.
  let withheldCount: Int
  /// The quotas of the user and of the deployment that are in force.
  let quotas: [UsedQuota]
  /// In the order of the checks, so that the first is the one that the sender would receive.
  let refusals: [SendCheck.Refusal]
}

extension ChannelHost {
  /// Reads a user's windows without changing them.
  ///
  /// - Parameter totals: The numbers of the user that quotas limit.
  func outlook(for account: Account, _ totals: UserTotals) -> SendingOutlook {
    let quotas = shard.services.quotas
    let userID = account.user.id
    let userLimit = shard.settings.limits.userFlood
    let userUsage = shard.services.userFlood.usage(of: userID, limit: userLimit)
    let refusals = [
      quotas.refusal(of: totals, at: shard.services.clock.now),
      userUsage.wait.map { .userFlood(retryAfter: $0, userLimit) },
    ]
    let check = sendCheck(of: userID, refusals.compactMap { $0 })
    let throttle = throttle(of: userID)
    func window(_ window: SendCheck.Window) -> SendingOutlook.Window {
      SendingOutlook.Window(
        limit: check.floodLimit, source: limitSource(.flood), isExempt: check.isExempt,
        count: window.used)
    }
    let inactive = SendCheck.Refusal(error: .deactivated(userID), restriction: nil)
    return SendingOutlook(
      userID: userID, channelURL: url, isParticipant: check.isParticipant,
      isOperator: check.isOperator, flood: window(check.sends), floodWait: check.sends.wait,
      userFlood: SendingOutlook.Window(
        limit: userLimit, source: .settings, isExempt: check.isExempt, count: userUsage.used),
      userFloodWait: check.isExempt ? 0 : userUsage.wait ?? 0,
      changes: window(check.changes), changeWait: check.changes.wait,
      throttle: SendingOutlook.Window(
        limit: throttleLimit, source: limitSource(.throttle), isExempt: check.isOperator,
        count: throttle?.shownCount(at: check.createdAt, limit: throttleLimit) ?? 0),
      withheldCount: throttle?.withheld?.count ?? 0,
      quotas: quotas.settings.userQuotas(of: totals) + quotas.deploymentQuotas,
      refusals: (account.isActive ? [] : [inactive]) + check.refusals)
  }
}
