/// What is kept of a message of a user that was deleted, beside the event that says so: its sender's flood
/// window still counts it.
struct StoredDeletion: StoredObject {
  var userID = ""
  /// Unix milliseconds.
  var createdAt: Int64 = 0

  init() {}

  init(userID: String, createdAt: Int64) {
    self.userID = userID
    self.createdAt = createdAt
  }

  mutating func list<Members: StoredMembers>(in members: inout Members) throws(Members.Failure) {
    try members.required("created_at", &createdAt)
    try members.required("user_id", &userID)
  }
}
