import Channels
import SQLite
import ParleyProtocol

extension WriteTransaction {
  /// Puts a restriction on a user.
  func impose(
    _ kind: RestrictionKind, _ restriction: Restriction, channelID: Int64
  ) throws -> (user: User, event: LoggedEvent) {
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
    let event = Event.imposed(kind, restriction, on: user)
    return (user, try record(event, channelID: channelID, at: restriction.startsAt))
  }

  /// Takes a restriction from a user; there is no event when none held.
  func lift(
    _ kind: RestrictionKind, channelID: Int64, userID: String, at timestamp: Int64
  ) throws -> (user: User, event: LoggedEvent?) {
    guard let user = try user(userID) else { throw StoreError.noUser(userID) }
    try removeEnded(kind, channelID: channelID, at: timestamp)
    let count = try connection.change(
      "DELETE FROM \(kind.table) WHERE channel_id = ? AND user_id = ?", [channelID, userID])
    guard count > 0 else { return (user, nil) }
    return (user, try record(.lifted(kind, from: user), channelID: channelID, at: timestamp))
  }

  /// Removes restrictions that have run out; they ended silently.
  private func removeEnded(_ kind: RestrictionKind, channelID: Int64, at now: Int64) throws {
    try connection.execute(
      "DELETE FROM \(kind.table) WHERE channel_id = ? AND ends_at <= ?", [channelID, now])
  }
}
