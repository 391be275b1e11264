import Channels
import ParleyProtocol

/// A message in a group of two that is unread for neither member, because one blocks the other.
///
/// It has its ordinal, so that its author sees nothing unusual, and a row in the table of messages that are
/// not counted, as a deleted message has.
struct DisregardedMessage {
  let blockerID: String
  let channelID: Int64
  let messageID: Int64
  let ordinal: Int64
  /// Unix milliseconds.
  let createdAt: Int64

  /// - Returns: `nil` for a message that counts, or has no ordinal.
  init?(_ new: UnsequencedMessage, ordinal: Int64?, channelID: Int64) {
    guard let blockerID = new.blockerID, let ordinal, ordinal > 0 else { return nil }
    self.blockerID = blockerID
    self.channelID = channelID
    self.ordinal = ordinal
    (messageID, createdAt) = (new.message.id, new.message.createdAt)
  }

  /// Takes the number of the channel, the ordinal, the id and the time of a message.
  static let insertion: StoreStatement =
    "INSERT INTO uncounted (channel_id, ordinal, message_id, created_at) VALUES (?, ?, ?, ?)"

  /// Keeps the group hidden for the blocker, if it is hidden until the next message; takes the ordinal, the
  /// number of the channel, the blocker and the ordinal.
  static let hiding: StoreStatement = """
    UPDATE members SET hidden_ordinal = ?
    WHERE channel_id = ? AND user_id = ? AND hidden = 1 AND hidden_ordinal + 1 >= ?
    """

  /// The statements with their values, in order.
  var writes: [(statement: StoreStatement, values: StoreArguments)] {
    [
      (Self.insertion, [channelID, ordinal, messageID, createdAt]),
      (Self.hiding, [ordinal, channelID, blockerID, ordinal]),
    ]
  }
}

extension StoreStatement {
  /// Whether a row of `messages` with an ordinal can be unread for a member.
  static let isCounted: StoreStatement = """
    NOT EXISTS (SELECT 1 FROM uncounted
      WHERE uncounted.channel_id = messages.channel_id AND uncounted.ordinal = messages.ordinal)
    """
}
