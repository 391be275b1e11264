import Channels
import ParleyProtocol

/// The kinds of rows that name a user, besides messages.
package enum UserArchivePart: String, Sendable, CaseIterable {
  case account = "user"
  case membership
  case operatorRole = "operator_role"
  case ban
  case mute
  case block
  case file
  case pushToken = "push_token"
  case sessionToken = "session_token"
  case report
}

/// Reads some rows of a kind that name a user, as lines of JSON: an object with the kind and the row.
///
/// Secrets such as hashes of tokens are left out.
package struct UserArchiveRows: StoreQuery {
  package struct Outcome: Sendable {
    package var bytes: [UInt8] = []
    package var rowCount = 0
  }

  package var userID: String
  package var part: UserArchivePart
  /// The number of rows before these.
  package var offset: Int
  package var limit: Int

  package init(of userID: String, _ part: UserArchivePart, after offset: Int, limit: Int = 500) {
    self.userID = userID
    self.part = part
    self.offset = offset
    self.limit = limit
  }

  package var statements: ReadStatements<Outcome> { .init { try $0.archive(self) } }
}

/// A column of an archive.
private enum ArchiveColumn {
  case text(StaticString)
  case number(StaticString)
  case flag(StaticString)
  case json(StaticString)

  func write(_ row: StoreRow, _ place: Int, into writer: inout JSONWriter) {
    guard !row.isNull(place) else { return }
    switch self {
    case .text(let name): writer.member(name, row.text(place))
    case .number(let name): writer.member(name, row.integer(place))
    case .flag(let name): writer.member(name, row.integer(place) != 0)
    case .json(let name):
      writer.name(name)
      writer.value(rawText: row.text(place))
    }
  }
}

extension UserArchivePart {
  /// The columns, and the rows of a user ?1 in a fixed order.
  fileprivate var statement: (columns: [ArchiveColumn], sql: StoreStatement) {
    switch self {
    case .account:
      (
        [
          .text("user_id"), .text("nickname"), .text("profile_url"), .json("metadata"),
          .flag("is_active"), .number("created_at"), .number("last_seen_at"),
          .json("push_preferences"),
        ],
        """
        SELECT user_id, nickname, profile_url, metadata, is_active, created_at, last_seen_at,
          push_preferences FROM users WHERE user_id = ?1 ORDER BY user_id
        """
      )
    case .membership:
      (
        [
          .text("channel_url"), .text("name"), .number("state"), .text("inviter_id"),
          .number("invited_at"), .number("joined_at"), .number("read_at"), .number("delivered_at"),
          .number("hidden"),
        ],
        """
        SELECT c.url, c.name, m.state, m.inviter_id, m.invited_at, m.joined_at, m.read_at,
          m.delivered_at, m.hidden
        FROM members AS m \(.index("members_by_user")) CROSS JOIN channels AS c
        WHERE m.user_id = ?1 AND c.channel_id = m.channel_id ORDER BY m.state, m.channel_id
        """
      )
    case .operatorRole:
      (
        [.text("channel_url")],
        """
        SELECT c.url FROM channel_operators AS o CROSS JOIN channels AS c
        WHERE o.user_id = ?1 AND c.channel_id = o.channel_id ORDER BY c.channel_id
        """
      )
    case .ban: restriction("bans")
    case .mute: restriction("mutes")
    case .block:
      (
        [.text("user_id"), .text("blocked_id")],
        """
        SELECT user_id, blocked_id FROM blocks WHERE user_id = ?1 OR blocked_id = ?1
        ORDER BY user_id, blocked_id
        """
      )
    case .file:
      (
        [
          .text("file_id"), .text("name"), .text("type"), .number("size"), .number("created_at"),
        ],
        """
        SELECT file_id, name, type, size, created_at FROM files
        WHERE user_id = ?1 AND user_id <> '' ORDER BY created_at, file_id
        """
      )
    case .pushToken:
      (
        [
          .number("type"), .text("token"), .text("device_id"), .number("created_at"),
          .number("last_success_at"),
        ],
        """
        SELECT type, name, device_id, created_at, last_success_at FROM push_tokens
        WHERE user_id = ?1 ORDER BY token_id
        """
      )
    case .sessionToken:
      (
        [.number("expires_at")],
        "SELECT expires_at FROM session_tokens WHERE user_id = ?1 ORDER BY expires_at, token_hash"
      )
    case .report:
      (
        [
          .number("id"), .text("type"), .text("channel_url"), .text("subject"),
          .text("reporter_id"),
          .text("offender_id"), .text("state"), .text("category"), .text("description"),
          .number("created_at"), .json("message"),
        ],
        """
        SELECT report_id, type, channel_url, subject, reporter_id, offender_id, state, category,
          description, created_at, message FROM reports
        WHERE reporter_id = ?1 OR offender_id = ?1 ORDER BY report_id
        """
      )
    }
  }

  private func restriction(
    _ table: StoreStatement
  ) -> (columns: [ArchiveColumn], sql: StoreStatement) {
    (
      [.text("channel_url"), .number("starts_at"), .number("ends_at"), .text("description")],
      """
      SELECT c.url, r.starts_at, r.ends_at, r.description FROM \(table) AS r CROSS JOIN channels AS c
      WHERE r.user_id = ?1 AND c.channel_id = r.channel_id ORDER BY c.channel_id
      """
    )
  }
}

extension StoreTransaction {
  fileprivate func archive(_ query: UserArchiveRows) throws -> UserArchiveRows.Outcome {
    let (columns, sql) = query.part.statement
    var outcome = UserArchiveRows.Outcome()
    let rows = try connection.rows(
      "\(sql) LIMIT ?2 OFFSET ?3", [query.userID, query.limit, query.offset])
    while let row = try rows.next() {
      outcome.rowCount += 1
      let line = JSONWriter.bytes { writer in
        writer.object {
          $0.member("type", query.part.rawValue)
          $0.member(
            "data",
            object: { writer in
              for (place, column) in columns.enumerated() {
                column.write(row, place, into: &writer)
              }
            })
        }
      }
      outcome.bytes += line
      outcome.bytes.append(UInt8(ascii: "\n"))
    }
    return outcome
  }
}
