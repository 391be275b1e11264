package import Channels
import SQLite
import ParleyProtocol

extension WriteTransaction {
  /// Bans a user until `restriction.endsAt` and records `channel.user_banned`.
  ///
  /// A ban that there is already is replaced.
  /// - Throws: `StoreError.notFound` for a channel or user that there is not.
  package func ban(channelURL: String, _ restriction: Restriction) throws -> RecordedEvent {
    try impose(.ban, restriction, channelID: existingChannelID(channelURL)).event
  }

  /// Mutes a user until `restriction.endsAt` and records `channel.user_muted`; otherwise as `ban`.
  package func mute(channelURL: String, _ restriction: Restriction) throws -> RecordedEvent {
    try impose(.mute, restriction, channelID: existingChannelID(channelURL)).event
  }

  /// Lifts a ban and records `channel.user_unbanned`; `nil` when there was none that held.
  package func unban(
    channelURL: String, userID: String, at timestamp: Int64
  ) throws -> RecordedEvent? {
    try lift(
      .ban, channelID: existingChannelID(channelURL), userID: userID, at: timestamp
    ).event
  }

  /// Lifts a mute and records `channel.user_unmuted`; `nil` when there was none that held.
  package func unmute(
    channelURL: String, userID: String, at timestamp: Int64
  ) throws -> RecordedEvent? {
    try lift(
      .mute, channelID: existingChannelID(channelURL), userID: userID, at: timestamp
    ).event
  }

  private func existingChannelID(_ url: String) throws -> Int64 {
    guard let id = try channelRow(url)?.id else { throw StoreError.notFound(.channel) }
    return id
  }

  /// Puts a restriction on a user.
  func impose(
    _ kind: RestrictionKind, _ restriction: Restriction, channelID: Int64
  ) throws -> (user: User, event: RecordedEvent) {
    guard let user = try user(restriction.userID) else {
      throw StoreError.noUser(restriction.userID)
    }
    try removeEnded(kind, channelID: channelID, at: restriction.startsAt)
    try connection.execute(
      """
      INSERT OR REPLACE INTO \(kind.table) (channel_id, user_id, starts_at, ends_at, description)
      VALUES (?, ?, ?, ?, ?)
      """,
      [
        channelID, user.id, restriction.startsAt, restriction.endsAt, restriction.description,
      ])
    let details = EventDetails.restriction(
      user, seconds: restriction.seconds, description: restriction.description)
    return (user, try recordEvent(channelID, kind.imposed, details, at: restriction.startsAt))
  }

  /// Takes a restriction from a user; there is no event when none held.
  func lift(
    _ kind: RestrictionKind, channelID: Int64, userID: String, at timestamp: Int64
  ) throws -> (user: User, event: RecordedEvent?) {
    guard let user = try user(userID) else { throw StoreError.noUser(userID) }
    try removeEnded(kind, channelID: channelID, at: timestamp)
    let count = try connection.change(
      "DELETE FROM \(kind.table) WHERE channel_id = ? AND user_id = ?", [channelID, userID])
    guard count > 0 else { return (user, nil) }
    return (user, try recordEvent(channelID, kind.lifted, .user(user), at: timestamp))
  }

  /// Removes restrictions that have run out; they ended silently.
  private func removeEnded(_ kind: RestrictionKind, channelID: Int64, at now: Int64) throws {
    try connection.execute(
      "DELETE FROM \(kind.table) WHERE channel_id = ? AND ends_at <= ?", [channelID, now])
  }
}
