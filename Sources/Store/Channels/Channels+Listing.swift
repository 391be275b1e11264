import Basics
import SQLite
package import ParleyProtocol

extension StoreTransaction {
  /// A page of the channels that fit a query, newest first.
  ///
  /// The page is shorter when its items or the time to look run out before.
  ///
  /// - Throws: `StoreError.invalidPageToken` for a token that is not one of this query.
  package func listChannels<Value>(
    _ query: ChannelQuery, _ item: (Channel) throws -> PageItem<Value>
  ) throws -> ListPage<Value> {
    let (range, filter) = try query.conditions()
    return try page(
      """
      SELECT \(filter.flag), created_at, channel_id FROM channels \(query.index)
      WHERE \(range.sql) ORDER BY created_at DESC, channel_id DESC
      """, filter.arguments + range.arguments, limit: min(max(query.limit, 1), 100)
    ) { row in
      try item(try listedChannel(row[2]))
    } token: { row in
      query.token(createdAt: row[1], id: row[2])
    }
  }

  private func listedChannel(_ id: Int64) throws -> Channel {
    let state = try connection.first(
      "SELECT \(ChannelState.columns) FROM channels WHERE channel_id = ?", [id],
      ChannelState.init(row:))
    guard var channel = state?.channel else { throw StoreError.notFound(.channel) }
    channel.operators = try operators(channelID: id)
    return channel
  }
}

extension ChannelQuery {
  /// What a token is bound to; the limit may change from page to page.
  private var fingerprint: [String] {
    ["channels", nameContains ?? "", urlContains ?? "", "\(freezing.rawValue)"]
      + ["\(customTypes.count)"] + customTypes + urls
  }

  /// The way to the rows: a few that are named are looked up and sorted.
  fileprivate var index: String { urls.isEmpty ? "INDEXED BY channels_by_age" : "" }

  /// The rows to look at, and those of them to show.
  fileprivate func conditions() throws -> (range: Condition, filter: Condition) {
    let position = try position()
    var range = Condition(
      "(created_at, channel_id) < (?, ?)", [position.createdAt, position.id])
    try range.require("url", isAnyOf: urls)
    var filter = Condition()
    if let nameContains, !nameContains.isEmpty {
      filter.require("instr(name_folded, ?) > 0", [nameContains.caseFolded])
    }
    if let urlContains, !urlContains.isEmpty {
      filter.require("instr(url, ?) > 0", [urlContains])
    }
    try filter.require("custom_type", isAnyOf: customTypes)
    if freezing == .unfrozen { filter.require("is_frozen = 0") }
    return (range, filter)
  }

  fileprivate func token(createdAt: Int64, id: Int64) -> String {
    PageCursor(of: fingerprint).token(after: ChannelPosition(createdAt: createdAt, id: id))
  }

  /// Where to go on: before every channel when there is no token.
  private func position() throws -> ChannelPosition {
    guard let token, !token.isEmpty else { return ChannelPosition(createdAt: .max, id: .max) }
    guard let position = PageCursor<ChannelPosition>(of: fingerprint).position(in: token) else {
      throw StoreError.invalidPageToken
    }
    return position
  }
}

/// The place where a page of channels ended: created_at, then the channel's number.
private struct ChannelPosition: PagePosition {
  let createdAt: Int64
  let id: Int64

  init(createdAt: Int64, id: Int64) {
    self.createdAt = createdAt
    self.id = id
  }

  var positionBytes: [UInt8] { createdAt.bigEndianBytes + id.bigEndianBytes }

  init?(positionBytes bytes: [UInt8]) {
    guard let createdAt = Int64(bigEndianBytes: bytes.prefix(8)),
      let id = Int64(bigEndianBytes: bytes.dropFirst(8))
    else { return nil }
    self.init(createdAt: createdAt, id: id)
  }
}
