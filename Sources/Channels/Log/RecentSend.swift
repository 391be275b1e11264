/// The author and time of a stored message.
package struct RecentSend: Sendable, Hashable {
  package let userID: String
  /// Unix milliseconds.
  package let createdAt: Int64

  package init(userID: String, createdAt: Int64) {
    self.userID = userID
    self.createdAt = createdAt
  }
}
