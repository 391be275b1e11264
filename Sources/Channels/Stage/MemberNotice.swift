/// A notification for the connections of one member of a group.
package struct MemberNotice: Sendable, Hashable {
  package let userID: String
  /// The notification as a JSON text.
  package let payload: [UInt8]
  /// The connections that receive it only as the answers to their requests.
  package let except: [SessionAddress]

  package init(userID: String, payload: [UInt8], except: [SessionAddress] = []) {
    self.userID = userID
    self.payload = payload
    self.except = except
  }
}

/// A notification without a number for the connections of a group's members.
package struct MembersNotice: Sendable, Hashable {
  /// The notification as a JSON text.
  package let payload: [UInt8]
  /// The members who do not receive it.
  package let exceptIDs: [String]
}
