package import Channels
import SQLite
package import ParleyProtocol

extension WriteTransaction {
  /// Makes a channel; its operators must be users.
  ///
  /// - Parameter epoch: The name of the life of its event count.
  /// - Throws: `StoreError.exists` when there is one of this URL, `.noUser` for an
  ///   operator that is none.
  package func createChannel(_ channel: Channel, epoch: String) throws -> ChannelState {
    guard try channelRow(channel.url) == nil else { throw StoreError.exists }
    let id = try connection.insert(
      """
      INSERT INTO channels (url, name, name_folded, cover_url, data, custom_type, is_ephemeral,
        is_frozen, metadata, created_at, epoch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        channel.url, channel.name, channel.name.caseFolded, channel.coverURL, channel.data,
        channel.customType, channel.isEphemeral, channel.isFrozen,
        StoredJSON.encodeUnlessEmpty(channel.metadata), channel.createdAt, epoch,
      ])
    _ = try insertOperators(channel.operators.map(\.id), channelID: id)
    let state = try existingChannel(channel.url)
    try queue(
      .channelCreated(ChannelInfo(state.channel, participantCount: 0)),
      from: EventOrigin(channelURL: channel.url, seq: 0, timestamp: state.channel.createdAt))
    return state
  }

  /// Changes what is given, and records `channel.changed` if that makes a difference.
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
    let event = try record(.channelChanged(info(channel)), channelID: state.id, at: timestamp)
    return ChannelMutation(channel: channel, event: event)
  }

  /// Freezes a channel; records `channel.frozen` unless it was frozen.
  package func freezeChannel(_ url: String, at timestamp: Int64) throws -> ChannelMutation {
    try setFrozen(url, true, at: timestamp)
  }

  /// Unfreezes a channel; records `channel.unfrozen` if it was frozen.
  package func unfreezeChannel(_ url: String, at timestamp: Int64) throws -> ChannelMutation {
    try setFrozen(url, false, at: timestamp)
  }

  /// Removes a channel with everything in it; its messages are out of reach at once, and leave
  /// the disk bit by bit.
  ///
  /// - Returns: The channel as it was, with the event to tell its participants. No record of the
  ///   event stays: there is nothing left to recover.
  package func deleteChannel(_ url: String, at timestamp: Int64) throws -> ChannelMutation {
    let state = try existingChannel(url)
    try retainMaximumMessageID()
    try connection.execute("DELETE FROM channels WHERE channel_id = ?", [state.id])
    try ChannelPurge.schedule(state.id, on: connection)
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
