import GRDB
import ParleyProtocol

extension StoreTransaction {
  /// A page of the channels that fit a query, newest first.
  ///
  /// - Throws: `StoreError.invalidPageToken` for a token that is not one of this query.
  package func listChannels(_ query: ChannelQuery) throws -> ChannelPage {
    let limit = min(max(query.limit, 1), 100)
    var rows = try channelRows(query, limit: limit + 1)
    let hasMore = rows.count > limit
    rows = Array(rows.prefix(limit))
    let channels = try rows.map { row in
      var channel = row.channel
      channel.operators = try operators(channelID: row.id)
      return channel
    }
    let next = hasMore ? rows.last.map { query.token(after: $0) } : nil
    return ChannelPage(channels: channels, next: next ?? "")
  }

  private func channelRows(_ query: ChannelQuery, limit: Int) throws -> [ChannelState] {
    let condition = try query.condition()
    return try connection.all(
      """
      SELECT \(ChannelState.columns) FROM channels WHERE \(condition.sql)
      ORDER BY created_at DESC, channel_id DESC LIMIT ?
      """, condition.arguments + [limit], ChannelState.init(row:))
  }
}

extension ChannelQuery {
  /// What a token is bound to; the limit may change from page to page.
  private var fingerprint: [String] {
    ["channels", nameContains ?? "", urlContains ?? "", "\(freezing.rawValue)"]
      + ["\(customTypes.count)"] + customTypes + urls
  }

  fileprivate func condition() throws -> Condition {
    let position = try position()
    var condition = Condition(
      "(created_at, channel_id) < (?, ?)", [position.createdAt, position.id])
    if let nameContains, !nameContains.isEmpty {
      condition.require("instr(name_folded, ?) > 0", [nameContains.lowercased()])
    }
    if let urlContains, !urlContains.isEmpty {
      condition.require("instr(url, ?) > 0", [urlContains])
    }
    try condition.require("custom_type", isAnyOf: customTypes)
    try condition.require("url", isAnyOf: urls)
    if freezing == .unfrozen { condition.require("is_frozen = 0") }
    return condition
  }

  fileprivate func token(after state: ChannelState) -> String {
    PageToken.encode(
      state.channel.createdAt.bigEndianBytes + state.id.bigEndianBytes, query: fingerprint)
  }

  /// Where to go on: before every channel when there is no token.
  private func position() throws -> (createdAt: Int64, id: Int64) {
    guard let token, !token.isEmpty else { return (.max, .max) }
    let bytes = try PageToken.decode(token, query: fingerprint)
    guard bytes.count == 16 else { throw StoreError.invalidPageToken }
    return (Int64(bigEndianBytes: bytes.prefix(8)), Int64(bigEndianBytes: bytes.suffix(8)))
  }
}
