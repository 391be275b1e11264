import SQLite
package import ParleyProtocol

extension StoreTransaction {
  /// The channel with all that the server keeps of it, if there is one of this URL.
  package func channel(_ url: String) throws -> ChannelState? {
    guard var state = try channelRow(url) else { return nil }
    state.channel.operators = try operators(channelID: state.id)
    state.bans = try restrictions(.ban, channelID: state.id)
    state.mutes = try restrictions(.mute, channelID: state.id)
    return state
  }

  /// The operators in the order in which they became operators.
  package func operators(channelID: Int64) throws -> [User] {
    try connection.all(
      """
      SELECT users.user_id, nickname, profile_url, metadata
      FROM channel_operators JOIN users USING (user_id)
      WHERE channel_id = ? ORDER BY position
      """, [channelID], User.init(row:))
  }

  /// The channel without operators, bans and mutes.
  func channelRow(_ url: String) throws -> ChannelState? {
    try connection.first(
      "SELECT \(ChannelState.columns) FROM channels WHERE url = ?", [url], ChannelState.init(row:))
  }

  /// The channel that a change is meant for, with its operators.
  func existingChannel(_ url: String) throws -> ChannelState {
    guard var state = try channelRow(url) else { throw StoreError.notFound(.channel) }
    state.channel.operators = try operators(channelID: state.id)
    return state
  }

  func channelURL(_ channelID: Int64) throws -> String? {
    try connection.first("SELECT url FROM channels WHERE channel_id = ?", [channelID]) {
      $0[0] as String
    }
  }
}

extension ChannelState {
  static let columns = """
    channel_id, url, name, cover_url, data, custom_type, is_ephemeral, is_frozen, created_at,
    epoch, last_seq, last_created_at,
    flood_messages, flood_window_ms, throttle_messages, throttle_window_ms, metadata, term
    """

  /// From `columns`; operators, bans and mutes stay empty.
  init(row: Row) throws {
    let metadata: String? = row[16]
    self.init(
      id: row[0],
      channel: Channel(
        url: row[1], name: row[2], coverURL: row[3], data: row[4], customType: row[5],
        isEphemeral: row[6], isFrozen: row[7],
        metadata: try metadata.map { try StoredJSON.decode([String: String].self, from: $0) }
          ?? [:],
        createdAt: row[8]),
      epoch: row[9], term: row[17], lastSeq: row[10], lastCreatedAt: row[11], bans: [:], mutes: [:],
      floodOverride: LimitOverride(messages: row[12], windowMilliseconds: row[13]),
      throttleOverride: LimitOverride(messages: row[14], windowMilliseconds: row[15]))
  }
}
