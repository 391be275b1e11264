import FloodControl
import ParleyProtocol
import Push
import Store

/// Decides which recipients of a job get a push; confined to the loop's thread.
struct PushJudge {
  private var configuration: PushConfiguration
  private let isAttending: @Sendable (_ userID: String) -> Bool
  private var zones = TimeZoneTable()
  private var budgets: PushBudgets

  /// - Parameter isAttending: Whether a user has a session that is not in the background, on any server.
  init(
    _ configuration: PushConfiguration,
    isAttending: @escaping @Sendable (_ userID: String) -> Bool
  ) {
    self.configuration = configuration
    self.isAttending = isAttending
    budgets = PushBudgets(limits: configuration.budgets)
  }

  mutating func adopt(_ new: PushConfiguration) {
    configuration = new
    budgets.limits = new.budgets
  }

  /// - Parameters:
  ///   - now: Unix milliseconds.
  ///   - steady: Milliseconds of a steady clock.
  mutating func judge(
    _ page: PushAudience.Page, of job: PushJob, at now: Int64, steady: Int64
  ) -> JudgedPage {
    guard let message = page.message, let facts = page.facts else { return JudgedPage() }
    var judged = JudgedPage(message: message, channelName: page.channelName, next: page.next)
    for recipient in page.recipients {
      let refusal = refusal(of: facts, to: recipient.recipient, job.scope, at: now)
      if let refusal {
        if let result = refusal.result { judged.refuse(recipient, result, configuration) }
        continue
      }
      switch allowance(of: recipient.recipient, facts, job.scope, at: steady) {
      case .full: judged.add(recipient, isSilent: false, configuration)
      case .badgeOnly: judged.add(recipient, isSilent: true, configuration)
      case .dropped: judged.refuse(recipient, .limited, configuration)
      }
    }
    return judged
  }

  /// The reason why a message is not pushed to a user; `nil` when it is.
  ///
  /// - Parameter now: Unix milliseconds.
  mutating func refusal(
    of facts: PushMessageFacts, to recipient: PushRecipient, _ scope: PushScope, at now: Int64
  ) -> PushRefusal? {
    var recipient = recipient
    switch scope {
    case .members, .user: recipient.hasForegroundSession = isAttending(recipient.userID)
    // Decided at the first attempt.
    case .token: break
    }
    return configuration.rules.refusal(
      of: facts, to: recipient, at: now, local: localTime(recipient.preferences, at: now))
  }

  private mutating func localTime(_ preferences: PushPreferences, at now: Int64) -> LocalTime {
    guard preferences.hasWindows else { return LocalTime(at: now, in: .utc) }
    let zone = zones.zone(preferences.timeZone, reading: TimeZoneFiles.read)
    return LocalTime(at: now, in: zone ?? .utc)
  }

  private mutating func allowance(
    of recipient: PushRecipient, _ facts: PushMessageFacts, _ scope: PushScope, at steady: Int64
  ) -> PushAllowance {
    switch scope {
    case .members, .user:
      budgets.admit(to: recipient.userID, from: facts.authorID, at: steady)
    // Counted at the first attempt.
    case .token: .full
    }
  }
}

/// The recipients of a page who get a push.
struct JudgedPage: Sendable {
  struct Recipient: Sendable {
    let userID: String
    let preferences: PushPreferences
    let tokens: [StoredPushToken]
    /// Whether only the badge changes.
    let isSilent: Bool
  }

  /// `nil` when the message was deleted.
  var message: Message?
  var channelName = ""
  /// The member after whom the following page begins; `nil` for the last page.
  var next: String?
  private(set) var recipients: [Recipient] = []
  /// The pushes that are not sent, as far as they are counted.
  private(set) var refused: [(way: PushWay, result: PushResult, count: Int)] = []

  fileprivate mutating func add(
    _ recipient: PushAudience.Recipient, isSilent: Bool, _ configuration: PushConfiguration
  ) {
    var tokens = recipient.tokens
    if isSilent {
      // Browsers show every push.
      let browsers = tokens.filter { configuration.way(of: $0.token.type) == .web }
      if !browsers.isEmpty { refused.append((.web, .limited, browsers.count)) }
      tokens.removeAll { configuration.way(of: $0.token.type) == .web }
    }
    guard !tokens.isEmpty else { return }
    recipients.append(
      Recipient(
        userID: recipient.recipient.userID, preferences: recipient.recipient.preferences,
        tokens: tokens, isSilent: isSilent))
  }

  fileprivate mutating func refuse(
    _ recipient: PushAudience.Recipient, _ result: PushResult, _ configuration: PushConfiguration
  ) {
    for token in recipient.tokens {
      guard let way = configuration.way(of: token.token.type) else { continue }
      refused.append((way, result, 1))
    }
  }
}

extension PushRefusal {
  /// The result that is counted; `nil` for recipients who were not to get a push.
  fileprivate var result: PushResult? {
    switch self {
    case .tooOld: .expired
    case .alreadyRead, .deleted: .read
    case .senderLimit: .limited
    case .openChannel, .ephemeral, .notJoined, .beforeHistory, .author, .suppressed, .silent,
      .adminWithoutPush, .hook, .deactivated, .hasSession, .authorBlocked, .triggerOff,
      .notMentioned, .snoozed, .doNotDisturb, .noToken:
      nil
    }
  }
}
