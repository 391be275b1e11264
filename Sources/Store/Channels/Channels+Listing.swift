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
    let position = try query.position()
    var conditions = ["(created_at, channel_id) < (?, ?)"]
    var arguments: Arguments = [position.createdAt, position.id]
    func require(_ condition: String, _ value: String) {
      conditions.append(condition)
      arguments += [value]
    }
    if let part = query.nameContains, !part.isEmpty {
      require("instr(name_folded, ?) > 0", part.lowercased())
    }
    if let part = query.urlContains, !part.isEmpty { require("instr(url, ?) > 0", part) }
    if !query.customTypes.isEmpty {
      let types = try StoredJSON.encode(query.customTypes)
      require("custom_type IN (SELECT value FROM json_each(?))", types)
    }
    if !query.urls.isEmpty {
      require("url IN (SELECT value FROM json_each(?))", try StoredJSON.encode(query.urls))
    }
    if query.freezing == .unfrozen { conditions.append("is_frozen = 0") }
    arguments += [limit]
    return try connection.all(
      """
      SELECT \(ChannelState.columns) FROM channels
      WHERE \(conditions.joined(separator: " AND "))
      ORDER BY created_at DESC, channel_id DESC LIMIT ?
      """, arguments, ChannelState.init(row:))
  }
}

extension ChannelQuery {
  /// What a token is bound to; the limit may change from page to page.
  private var fingerprint: [String] {
    ["channels", nameContains ?? "", urlContains ?? "", "\(freezing.rawValue)"]
      + ["\(customTypes.count)"] + customTypes + urls
  }

  fileprivate func token(after state: ChannelState) -> String {
    PageToken.encode(
      state.channel.createdAt.bigEndianBytes + state.id.bigEndianBytes, query: fingerprint)
  }

  /// Where to go on: before every channel when there is no token.
  fileprivate func position() throws -> (createdAt: Int64, id: Int64) {
    guard let token, !token.isEmpty else { return (.max, .max) }
    let bytes = try PageToken.decode(token, query: fingerprint)
    guard bytes.count == 16 else { throw StoreError.invalidPageToken }
    return (Int64(bigEndianBytes: bytes.prefix(8)), Int64(bigEndianBytes: bytes.suffix(8)))
  }
}

extension Int64 {
  fileprivate var bigEndianBytes: [UInt8] {
    withUnsafeBytes(of: bigEndian, Array.init)
  }

  fileprivate init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | Int64($1) }
  }
}
