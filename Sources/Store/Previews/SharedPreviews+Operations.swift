/// An outcome of a fetch, or the lack of one, shared by servers.
///
/// The store treats links as texts and does not parse the bodies.
package struct SharedPreview: Sendable, Hashable {
  package var link: String
  /// Sorts the links of a host next to those of all its subdomains.
  package var host: String
  package var body: String
  /// Unix milliseconds; from this time on the link should be fetched again.
  package var expiresAt: Int64
  /// Unix milliseconds; from this time on the outcome counts as unknown.
  package var staleUntil: Int64

  package init(link: String, host: String, body: String, expiresAt: Int64, staleUntil: Int64) {
    self.link = link
    self.host = host
    self.body = body
    self.expiresAt = expiresAt
    self.staleUntil = staleUntil
  }
}

/// The links that an operation is for.
package enum SharedPreviewScope: Sendable, Hashable {
  case all
  case link(String)
  /// The hosts from the first one up to, but not including, the second.
  case hosts(String, String)
  case none
}

/// Claims the fetch of a link for a server, unless its outcome is known or another server has claimed
/// it.
///
/// Times are those of the database, so the clocks of the servers do not matter.
package struct PreviewClaim: StoreWrite {
  package enum Outcome: Sendable, Hashable {
    /// The server has the claim; the body is that of an expired outcome.
    case granted(stale: String?)
    case known(String)
    /// - now: Unix milliseconds by the database's clock.
    case taken(stale: String?, until: Int64, now: Int64)
  }

  package var link: String
  package var host: String
  package var serverID: UInt64
  /// Milliseconds.
  package var duration: Int64
  /// An outcome published since this time counts as known, even if expired; `nil` for none.
  package var start: Int64?

  package init(link: String, host: String, serverID: UInt64, duration: Int64, since start: Int64?) {
    self.link = link
    self.host = host
    self.serverID = serverID
    self.duration = duration
    self.start = start
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Outcome> { .init { try $0.claimPreview(self) } }
}

/// Ends a server's claim with an outcome; `false` when it has lost the claim.
package struct PreviewPublication: StoreWrite {
  package var preview: SharedPreview
  package var serverID: UInt64

  package init(_ preview: SharedPreview, by serverID: UInt64) {
    self.preview = preview
    self.serverID = serverID
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Bool> {
    .init { try $0.publishPreview(preview, by: serverID) }
  }
}

/// Stores an outcome and ends the claim, whichever server holds it.
package struct PreviewReplacement: StoreWrite {
  package var preview: SharedPreview

  package init(_ preview: SharedPreview) { self.preview = preview }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Void> { .init { try $0.replacePreview(preview) } }
}

/// Ends a server's claim without an outcome; `false` when it has lost the claim.
///
/// The link cannot be claimed again before a pause is over.
package struct PreviewAbandonment: StoreWrite {
  package var link: String
  package var serverID: UInt64
  /// Milliseconds.
  package var pause: Int64

  package init(of link: String, by serverID: UInt64, pause: Int64) {
    self.link = link
    self.serverID = serverID
    self.pause = pause
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Bool> {
    .init { try $0.abandonPreview(link, by: serverID, pause: pause) }
  }
}

/// Reads stored outcomes in the order of their links; bodies only for those after a given link.
package struct PreviewList: StoreQuery {
  package var scope: SharedPreviewScope
  package var last: String
  package var limit: Int

  package init(_ scope: SharedPreviewScope, after last: String, limit: Int) {
    self.scope = scope
    self.last = last
    self.limit = limit
  }

  package var statements: ReadStatements<[String]> {
    .init { try $0.previews(scope, after: last, limit: limit) }
  }
}

/// Removes outcomes that count as unknown, and those that expire first while the total size exceeds the
/// limit.
///
/// One server at a time does so. Links that are being fetched are kept.
package struct PreviewTrimming: StoreWrite {
  package enum Outcome: Sendable, Hashable {
    /// More may be left than one step can remove.
    case unfinished
    case finished
    /// Another server is doing it.
    case left
  }

  package var byteLimit: Int
  /// Maximum number of outcomes removed.
  package var stepLimit: Int

  package init(byteLimit: Int, stepLimit: Int = 1_000) {
    self.byteLimit = byteLimit
    self.stepLimit = stepLimit
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Outcome> { .init { try $0.trimPreviews(self) } }
}

/// Removes outcomes and claims, announces that to all servers, and reports the number of outcomes.
package struct PreviewPurge: StoreWrite {
  package var scope: SharedPreviewScope
  /// The announcement, in the format that the servers expect.
  package var notice: String

  package init(_ scope: SharedPreviewScope, announcing notice: String) {
    self.scope = scope
    self.notice = notice
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Int> { .init { try $0.purgePreviews(self) } }
}

extension StoreTransaction {
  func previews(
    _ scope: SharedPreviewScope, after last: String, limit: Int
  ) throws -> [String] {
    let (condition, values) = scope.condition
    return try connection.all(
      """
      SELECT body FROM previews
      WHERE \(condition) AND link > ? AND stale_until > \(Self.now) ORDER BY link LIMIT ?
      """, values + [last, limit]
    ) { $0[0] }
  }

  /// The database's clock in Unix milliseconds.
  fileprivate static var now: StoreStatement {
    "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
  }
}

extension WriteTransaction {
  func claimPreview(_ claim: PreviewClaim) throws -> PreviewClaim.Outcome {
    // The insertion comes first, so that concurrent servers wait for each other at the row.
    try connection.execute(
      "INSERT INTO previews (link, host) VALUES (?, ?) ON CONFLICT (link) DO NOTHING",
      [claim.link, claim.host])
    let row = try connection.first(
      """
      SELECT body, expires_at, stale_until, published_at, claimed_until, \(Self.now)
      FROM previews WHERE link = ? FOR UPDATE
      """, [claim.link]
    ) {
      (
        body: $0[0] as String?, expiresAt: $0[1] as Int64, staleUntil: $0[2] as Int64,
        publishedAt: $0[3] as Int64, claimedUntil: $0[4] as Int64, now: $0[5] as Int64
      )
    }
    guard let row else { throw StoreError.unavailable(reason: "the link was purged meanwhile") }
    let isAwaited = claim.start.map { row.publishedAt >= $0 } ?? false
    if let body = row.body, row.now < row.expiresAt || isAwaited { return .known(body) }
    let stale = row.now < row.staleUntil ? row.body : nil
    guard row.claimedUntil <= row.now else {
      return .taken(stale: stale, until: row.claimedUntil, now: row.now)
    }
    try connection.execute(
      "UPDATE previews SET claimed_by = ?, claimed_until = ? WHERE link = ?",
      [Int64(bitPattern: claim.serverID), row.now + claim.duration, claim.link])
    return .granted(stale: stale)
  }

  func publishPreview(_ preview: SharedPreview, by serverID: UInt64) throws -> Bool {
    try removeOldPreviews()
    return try connection.change(
      """
      UPDATE previews SET body = ?, expires_at = ?, stale_until = ?, published_at = \(Self.now),
        claimed_by = NULL, claimed_until = 0
      WHERE link = ? AND claimed_by = ?
      """,
      [
        preview.body, preview.expiresAt, preview.staleUntil, preview.link,
        Int64(bitPattern: serverID),
      ]) > 0
  }

  func replacePreview(_ preview: SharedPreview) throws {
    try connection.execute(
      """
      INSERT INTO previews (link, host, body, expires_at, stale_until, published_at)
      VALUES (?, ?, ?, ?, ?, \(Self.now))
      ON CONFLICT (link) DO UPDATE SET body = excluded.body, expires_at = excluded.expires_at,
        stale_until = excluded.stale_until, published_at = excluded.published_at,
        claimed_by = NULL, claimed_until = 0
      """,
      [preview.link, preview.host, preview.body, preview.expiresAt, preview.staleUntil])
  }

  func abandonPreview(_ link: String, by serverID: UInt64, pause: Int64) throws -> Bool {
    try connection.change(
      """
      UPDATE previews SET claimed_by = NULL, claimed_until = \(Self.now) + ?
      WHERE link = ? AND claimed_by = ?
      """, [pause, link, Int64(bitPattern: serverID)]) > 0
  }

  func purgePreviews(_ purge: PreviewPurge) throws -> Int {
    let (condition, values) = purge.scope.condition
    let count = try connection.all(
      "DELETE FROM previews WHERE \(condition) RETURNING body IS NOT NULL AND stale_until > \(Self.now)",
      values
    ) { $0[0] as Bool }.count { $0 }
    try announce(.previewPurge(notice: purge.notice))
    return count
  }

  func trimPreviews(_ trimming: PreviewTrimming) throws -> PreviewTrimming.Outcome {
    let isAlone = try connection.first("SELECT pg_try_advisory_xact_lock(?)", [Self.trimmingLock]) {
      $0[0] as Bool
    }
    guard isAlone == true else { return .left }
    let expired = try connection.change(
      """
      DELETE FROM previews WHERE link IN (
        SELECT link FROM previews WHERE stale_until <= \(Self.now) AND claimed_until <= \(Self.now)
        ORDER BY stale_until LIMIT ? FOR UPDATE SKIP LOCKED)
      """, [trimming.stepLimit])
    let excess = try connection.change(
      """
      DELETE FROM previews WHERE link IN (
        SELECT link FROM (
          SELECT link, claimed_until,
            sum(octet_length(link) + octet_length(host) + coalesce(octet_length(body), 0))
              OVER (ORDER BY stale_until DESC, link DESC) AS total
          FROM previews) AS kept
        WHERE total > ? AND claimed_until <= \(Self.now) LIMIT ?)
      """, [trimming.byteLimit, trimming.stepLimit])
    return max(expired, excess) < trimming.stepLimit ? .finished : .unfinished
  }

  /// "Parley" followed by a number.
  private static let trimmingLock: Int64 = 0x5061_726C_6579_0003

  /// Removes a few outcomes that count as unknown.
  private func removeOldPreviews() throws {
    try connection.execute(
      """
      DELETE FROM previews WHERE link IN (
        SELECT link FROM previews
        WHERE stale_until <= \(Self.now) AND claimed_until <= \(Self.now) - 60000
        ORDER BY stale_until LIMIT 4 FOR UPDATE SKIP LOCKED)
      """)
  }
}

extension SharedPreviewScope {
  fileprivate var condition: (StoreStatement, StoreArguments) {
    switch self {
    case .all: ("TRUE", [])
    case .link(let link): ("link = ?", [link])
    case .hosts(let first, let end): ("host >= ? AND host < ?", [first, end])
    case .none: ("FALSE", [])
    }
  }
}
