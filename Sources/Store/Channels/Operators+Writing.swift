import Channels
import SQLite
import ParleyProtocol

extension WriteTransaction {
  /// Makes users operators; records `channel.operators_changed` if any was not one.
  ///
  /// - Throws: `StoreError.noUser` when one is no user; then none becomes one.
  package func addOperators(
    _ url: String, _ userIDs: [String], at timestamp: Int64
  ) throws -> ChannelMutation {
    let state = try existingChannel(url)
    let count = try insertOperators(userIDs, channelID: state.id)
    return try operatorsChanged(state, by: count, at: timestamp)
  }

  /// Takes the role from users; records `channel.operators_changed` if any had it.
  package func removeOperators(
    _ url: String, _ userIDs: [String], at timestamp: Int64
  ) throws -> ChannelMutation {
    let state = try existingChannel(url)
    let count = try connection.change(
      """
      DELETE FROM channel_operators
      WHERE channel_id = ? AND user_id IN (SELECT value FROM json_each(?))
      """, [state.id, StoredJSON.encode(userIDs)])
    return try operatorsChanged(state, by: count, at: timestamp)
  }

  /// Takes the role from everyone; records `channel.operators_changed` if anyone had it.
  package func removeAllOperators(
    _ url: String, at timestamp: Int64
  ) throws -> ChannelMutation {
    let state = try existingChannel(url)
    return try removeOperators(url, state.channel.operators.map(\.id), at: timestamp)
  }

  /// - Returns: How many were not operators before.
  func insertOperators(_ userIDs: [String], channelID: Int64) throws -> Int {
    let known = try users(userIDs)
    if let unknown = userIDs.first(where: { known[$0] == nil }) { throw StoreError.noUser(unknown) }
    return try userIDs.reduce(0) { count, userID in
      count
        + (try connection.change(
          """
          INSERT INTO channel_operators (channel_id, user_id, position)
          VALUES (?1, ?2, (SELECT coalesce(max(position), 0) + 1 FROM channel_operators
                           WHERE channel_id = ?1))
          ON CONFLICT (channel_id, user_id) DO NOTHING
          """, [channelID, userID]))
    }
  }

  private func operatorsChanged(
    _ state: ChannelState, by count: Int, at timestamp: Int64
  ) throws -> ChannelMutation {
    guard count > 0 else { return ChannelMutation(channel: state.channel) }
    var channel = state.channel
    channel.operators = try operators(channelID: state.id)
    let event = try record(
      .operatorsChanged(Event.Operators(channel.operators)), channelID: state.id, at: timestamp)
    return ChannelMutation(channel: channel, event: event)
  }
}
