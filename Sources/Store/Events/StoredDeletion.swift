/// The author and the time of a deleted message, stored beside the event of its deletion.
///
/// The flood window of the author still counts the message. A message that took no place in the window
/// has no such note.
struct StoredDeletion: StoredObject {
  var userID = ""
  /// Unix milliseconds.
  var createdAt: Int64 = 0

  init() {}

  init(userID: String, createdAt: Int64) {
    self.userID = userID
    self.createdAt = createdAt
  }

  mutating func list<Members: StoredMembers & ~Copyable>(
    in members: inout Members
  ) throws(Members.Failure) {
    try members.required("created_at", &createdAt)
    try members.required("user_id", &userID)
  }
}
