import Channels
package import ParleyProtocol
import Search

/// A channel after a change.
package struct ChannelMutation: Sendable, Hashable {
  package var channel: Channel
  /// The event of the change; `nil` when nothing changed.
  package var event: LoggedEvent?
}

extension WriteTransaction {
  /// Creates an open channel; its operators must be users.
  ///
  /// - Parameter epoch: The name of this history of its event count.
  /// - Throws: `StoreError.exists` when a channel has this URL, `.noUser` when an operator is not a
  ///   user.
  func createChannel(_ channel: Channel, epoch: String) throws -> ChannelState {
    guard try channelRow(channel.url) == nil else { throw StoreError.exists }
    let id = try insertChannel(channel, epoch: epoch)
    _ = try insertOperators(channel.operators.map(\.id), channelID: id)
    let state = try existingChannel(channel.url)
    try queue(
      .channelCreated(ChannelInfo(state.channel, participantCount: 0)),
      from: EventOrigin(channelURL: channel.url, seq: 0, timestamp: state.channel.createdAt))
    return state
  }

  /// Inserts the row of a channel.
  ///
  /// - Returns: The channel's number.
  func insertChannel(_ channel: Channel, epoch: String) throws -> Int64 {
    try connection.insert(
      """
      INSERT INTO channels (url, name, name_folded, cover_url, data, custom_type, is_ephemeral,
        is_frozen, metadata, survival_seconds, created_at, epoch, is_group)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        channel.url, channel.name, channel.name.caseFolded, channel.coverURL, channel.data,
        channel.customType, channel.isEphemeral, channel.isFrozen,
        StoredJSON.encodeUnlessEmpty(channel.metadata), channel.survivalSeconds,
        channel.createdAt, epoch, channel.group != nil,
      ], numbering: "channel_id")
  }

  /// Changes the given fields, and records `channel.changed` if any of them differs.
  func setFields(
    _ url: String, _ changes: ChannelChanges, at timestamp: Int64
  ) throws -> ChannelMutation {
    let state = try existingChannel(url)
    let channel = changes.applied(to: state.channel)
    guard channel != state.channel else { return ChannelMutation(channel: channel) }
    try connection.execute(
      """
      UPDATE channels SET name = ?, name_folded = ?, cover_url = ?, data = ?, custom_type = ?
      WHERE channel_id = ?
      """,
      [
        channel.name, channel.name.caseFolded, channel.coverURL, channel.data,
        channel.customType, state.id,
      ])
    if let group = channel.group, group != state.channel.group {
      try connection.execute(
        "UPDATE groups SET is_public = ?, access_code = ? WHERE channel_id = ?",
        [group.isPublic, group.accessCode, state.id])
    }
    let event = try record(.channelChanged(info(channel)), channelID: state.id, at: timestamp)
    return ChannelMutation(channel: channel, event: event)
  }

  /// Freezes a channel; records `channel.frozen` unless it was frozen.
  func freezeChannel(_ url: String, at timestamp: Int64) throws -> ChannelMutation {
    try setFrozen(url, true, at: timestamp)
  }

  /// Unfreezes a channel; records `channel.unfrozen` if it was frozen.
  func unfreezeChannel(_ url: String, at timestamp: Int64) throws -> ChannelMutation {
    try setFrozen(url, false, at: timestamp)
  }

  /// Removes a channel with everything in it.
  ///
  /// Its messages and members become unreachable at once and are deleted from the disk step by step.
  ///
  /// - Returns: The channel as it was, with the event for its participants. The event is not recorded,
  ///   since there is nothing left to recover.
  func deleteChannel(_ url: String, at timestamp: Int64) throws -> ChannelMutation {
    let state = try existingChannel(url)
    try retainMaximumMessageID(among: "channel_id = ?", [state.id])
    try connection.execute("DELETE FROM channels WHERE channel_id = ?", [state.id])
    try ChannelPurge.schedule(
      state.id, groupURL: state.channel.group == nil ? nil : url, on: connection)
    let (channel, seq) = (state.channel, state.lastSeq + 1)
    let event = Event.channelDeleted(info(channel))
    if !channel.isEphemeral {
      try queue(
        event, from: EventOrigin(channelURL: channel.url, seq: seq, timestamp: timestamp))
    }
    return ChannelMutation(
      channel: channel, event: LoggedEvent(event, seq: seq, timestamp: timestamp))
  }

  private func setFrozen(
    _ url: String, _ isFrozen: Bool, at timestamp: Int64
  ) throws -> ChannelMutation {
    var state = try existingChannel(url)
    guard state.channel.isFrozen != isFrozen else { return ChannelMutation(channel: state.channel) }
    try connection.execute(
      "UPDATE channels SET is_frozen = ? WHERE channel_id = ?", [isFrozen, state.id])
    state.channel.isFrozen = isFrozen
    let info = info(state.channel)
    let event = try record(
      isFrozen ? .channelFrozen(info) : .channelUnfrozen(info), channelID: state.id,
      at: timestamp)
    return ChannelMutation(channel: state.channel, event: event)
  }
}

extension WriteTransaction {
  /// Makes users operators; records `channel.operators_changed` if any was not one.
  ///
  /// - Throws: `StoreError.noUser` when one of them is not a user; then no operator is added.
  func addOperators(
    _ url: String, _ userIDs: [String], at timestamp: Int64
  ) throws -> ChannelMutation {
    let state = try existingChannel(url)
    let count = try insertOperators(userIDs, channelID: state.id)
    return try operatorsChanged(state, by: count, at: timestamp)
  }

  /// Removes users from the operators; records `channel.operators_changed` if any was one.
  func removeOperators(
    _ url: String, _ userIDs: [String], at timestamp: Int64
  ) throws -> ChannelMutation {
    let state = try existingChannel(url)
    let count = try connection.change(
      """
      DELETE FROM channel_operators
      WHERE channel_id = ? AND user_id \(.isAnyOf)
      """, [state.id, StoreValue.texts(userIDs)])
    return try operatorsChanged(state, by: count, at: timestamp)
  }

  /// Removes all operators; records `channel.operators_changed` if there were any.
  func removeAllOperators(
    _ url: String, at timestamp: Int64
  ) throws -> ChannelMutation {
    let state = try existingChannel(url)
    return try removeOperators(url, state.channel.operators.map(\.id), at: timestamp)
  }

  /// - Returns: The number of users who were not operators before.
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
