/// A change, or a request of an operator, that every server of a cluster has to receive.
///
/// It is a row written in the transaction of the change, so a server that sees the change finds the row.
/// Servers read the rows with an ``AnnouncementCursor``. A SQLite store has one server and keeps no
/// announcements.
package enum Announcement: Sendable, Hashable {
  /// The limits of the deployment or of custom types.
  case limits
  /// The issued tokens of the Platform API.
  case apiTokens
  /// Previews were removed; the notice is in the format of the preview service.
  case previewPurge(notice: String)
  /// Sessions of a user were revoked.
  case eviction(userID: String, EvictionCause)
  /// Waiting webhook events are to be posted now; the asked server has started already.
  case webhookRetry(askedServer: String)
}

/// The reason why sessions of a user are revoked.
package enum EvictionCause: String, Sendable, Hashable, CaseIterable {
  case deactivated
  case deleted
  /// The session tokens were revoked; sessions that were opened with other tokens end too.
  case sessionTokensRevoked = "session_tokens_revoked"
  /// The access token was replaced; sessions that were opened with other tokens stay.
  case accessTokenReplaced = "access_token_replaced"
}

/// An announcement as a row of the database.
package struct AnnouncementEntry: Sendable, Hashable {
  /// Numbers in the order in which transactions requested them, not in the order of their commits.
  package var id: Int64
  /// Unix milliseconds by the database's clock.
  package var createdAt: Int64
  /// `nil` for one written by a later version.
  package var announcement: Announcement?

  package init(id: Int64, createdAt: Int64, _ announcement: Announcement?) {
    self.id = id
    self.createdAt = createdAt
    self.announcement = announcement
  }
}

/// Entries read in one snapshot of the database.
package struct AnnouncementPage: Sendable, Hashable {
  /// In the order of their ids.
  package var entries: [AnnouncementEntry]
  /// Whether the read has returned all the entries it asked for.
  package var isLast: Bool
  /// Unix milliseconds by the database's clock.
  package var now: Int64
  /// Transactions before this one have ended, and their commits are in the snapshot.
  package var firstOpenTransaction: Int64
  /// No transaction of this number or a higher one had begun.
  package var nextTransaction: Int64

  package init(
    entries: [AnnouncementEntry], isLast: Bool = true, now: Int64, firstOpenTransaction: Int64,
    nextTransaction: Int64
  ) {
    self.entries = entries
    self.isLast = isLast
    self.now = now
    self.firstOpenTransaction = firstOpenTransaction
    self.nextTransaction = nextTransaction
  }
}

extension Announcement {
  /// The time for which rows are kept, in milliseconds.
  ///
  /// Far longer than an unresponsive server stays in its cluster.
  package static let retention: Int64 = 3_600_000

  /// The columns kind, user_id and body.
  var columns: (kind: String, userID: String?, body: String) {
    switch self {
    case .limits: ("limits", nil, "")
    case .apiTokens: ("api_tokens", nil, "")
    case .previewPurge(let notice): ("previews", nil, notice)
    case .eviction(let userID, let cause): ("eviction", userID, cause.rawValue)
    case .webhookRetry(let askedServer): ("webhook_retry", nil, askedServer)
    }
  }

  init?(kind: String, userID: String?, body: String) {
    switch (kind, userID) {
    case ("limits", _): self = .limits
    case ("api_tokens", _): self = .apiTokens
    case ("previews", _): self = .previewPurge(notice: body)
    case ("eviction", let userID?):
      guard let cause = EvictionCause(rawValue: body) else { return nil }
      self = .eviction(userID: userID, cause)
    case ("webhook_retry", _): self = .webhookRetry(askedServer: body)
    default: return nil
    }
  }
}
