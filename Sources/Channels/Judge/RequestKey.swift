import ParleyProtocol

/// Names a send that a client may repeat.
struct RequestKey: Hashable, Sendable {
  /// `nil` for admin messages.
  let userID: String?
  let requestID: String

  init(userID: String?, requestID: String) {
    self.userID = userID
    self.requestID = requestID
  }

  /// `nil` for a send without a name, which cannot be repeated.
  init?(_ user: User?, _ requestID: String?) {
    guard let requestID, !requestID.isEmpty else { return nil }
    self.init(userID: user?.id, requestID: requestID)
  }
}
