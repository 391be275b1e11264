import Basics
package import ParleyProtocol

/// The reports to list.
package struct AbuseReportQuery: Sendable, Hashable {
  package var state: AbuseReportState?
  package var type: AbuseReportType?
  /// The user whom reports are about.
  package var offenderID: String?
  package var channelURL: String?
  /// The kind of that channel; `nil` for any.
  package var kind: ChannelKind?
  package var messageID: Int64?
  /// Reports from this time on, in Unix milliseconds.
  package var start: Int64?
  /// Reports up to this time, in Unix milliseconds.
  package var end: Int64?
  /// 1 to 100.
  package var limit: Int
  /// The token of the page; `nil` or empty for the first page.
  package var token: String?

  package init(limit: Int = 10, token: String? = nil) {
    self.limit = limit
    self.token = token
  }
}

/// Lists reports, newest first.
///
/// Errors: `invalidPageToken`, and `noUser` or `notFound` for a missing user, channel or message without reports.
package struct AbuseReportListing<Encoder: PageEncoder<AbuseReport>>: StoreQuery {
  package var query: AbuseReportQuery
  package var encoder: Encoder

  package init(_ query: AbuseReportQuery, as encoder: Encoder) {
    self.query = query
    self.encoder = encoder
  }

  package var statements: ReadStatements<ListPage<Encoder.Encoded>> {
    .init { try $0.listReports(query) { encoder.encode($0) } }
  }
}

extension StoreTransaction {
  fileprivate func listReports<Value>(
    _ query: AbuseReportQuery, _ item: (AbuseReport) -> PageItem<Value>
  ) throws -> ListPage<Value> {
    let filter = query.filter
    var reports = ReadAhead<Int64, AbuseReport>()
    let cursor = query.cursor
    let found = try page(
      """
      SELECT \(filter.flag), report_id FROM reports \(.primaryKey)
      WHERE report_id < ? ORDER BY report_id DESC
      """, filter.arguments + [try query.position()], limit: min(max(query.limit, 1), 100)
    ) { row, upcoming in
      let id: Int64 = row[1]
      let report = try reports.item(id, upcoming: upcoming.values(1), read: abuseReports)
      guard let report else { throw StoreError.notFound(.report) }
      return item(report)
    } token: { row in
      cursor.token(after: row[1])
    }
    if found.items.isEmpty, found.next.isEmpty { try requireSubject(of: query) }
    return found
  }

  /// Reports outlive what they are about, so it is looked for only if there are none.
  private func requireSubject(of query: AbuseReportQuery) throws {
    if let id = query.offenderID, try user(id) == nil { throw StoreError.noUser(id) }
    guard let url = query.channelURL else { return }
    let channelID = try channelNumber(url, query.kind)
    if let id = query.messageID, try message(id, channelID: channelID) == nil {
      throw StoreError.notFound(.message)
    }
  }
}

extension AbuseReportQuery {
  fileprivate var filter: Condition {
    var filter = Condition()
    if let state { filter.require("state = ?", [state.rawValue]) }
    if let type { filter.require("type = ?", [type.rawValue]) }
    if let offenderID { filter.require("offender_id = ?", [offenderID]) }
    if let channelURL { filter.require("channel_url = ?", [channelURL]) }
    if let messageID { filter.require("subject = ?", [String(messageID)]) }
    if let start { filter.require("created_at >= ?", [start]) }
    if let end { filter.require("created_at <= ?", [end]) }
    return filter
  }

  /// Tokens are bound to the filters; the limit may change from page to page.
  fileprivate var cursor: PageCursor<Int64> {
    let numbers = [messageID, start, end].map { $0.map { String($0) } ?? "" }
    return PageCursor(
      of: [
        "reports", state?.rawValue ?? "", type?.rawValue ?? "", offenderID ?? "",
        channelURL ?? "",
      ] + numbers)
  }

  fileprivate func position() throws -> Int64 {
    guard let token, !token.isEmpty else { return .max }
    guard let position = cursor.position(in: token) else { throw StoreError.invalidPageToken }
    return position
  }
}
