import ParleyProtocol

/// The facts about a deleted message that are stored beside the event of its deletion.
///
/// The message of an open channel that took no place in a flood window has none.
struct StoredDeletion: StoredObject {
  /// The author whose flood window still counts the message; `nil` for one that took no place in it.
  var userID: String?
  /// Unix milliseconds.
  var createdAt: Int64 = 0
  /// See `Event.Deletion`; `nil` for a message of an open channel.
  private var ordinal: Int64?
  private var arrival: Int64?
  private var senderID: String?
  private var mentionType: String?
  private var mentionedUserIDs: [String]?

  init() {}

  /// - Parameter userID: The author whose flood window counts the message, if any.
  /// - Returns: `nil` if there is nothing to store.
  init?(_ deletion: Event.Deletion, limiting userID: String?, createdAt: Int64) {
    guard userID != nil || deletion.ordinal != nil else { return nil }
    self.userID = userID
    self.createdAt = createdAt
    ordinal = deletion.ordinal
    if ordinal != nil { arrival = deletion.arrival }
    if deletion.senderID != userID { senderID = deletion.senderID }
    switch deletion.mentions {
    case .users(let ids):
      mentionType = MentionType.users.rawValue
      mentionedUserIDs = ids
    case .channel: mentionType = MentionType.channel.rawValue
    case nil: break
    }
  }

  /// The deletion as its event shows it.
  func event(ofMessage id: Int64) -> Event.Deletion {
    var deletion = Event.Deletion(messageID: id)
    guard let ordinal else { return deletion }
    deletion.ordinal = ordinal
    deletion.arrival = arrival
    deletion.senderID = senderID ?? userID
    deletion.mentions = mentionType.flatMap(MentionType.init).flatMap {
      MessageMentions($0, mentionedUserIDs ?? [])
    }
    return deletion
  }

  mutating func list<Members: StoredMembers & ~Copyable>(
    in members: inout Members
  ) throws(Members.Failure) {
    try members.required("created_at", &createdAt)
    try members.member("mention_type", &mentionType)
    try members.member("mentioned_user_ids", &mentionedUserIDs)
    try members.member("ordinal", &ordinal)
    try members.member("sender_id", &senderID)
    try members.member("seq", &arrival)
    try members.member("user_id", &userID)
  }
}
