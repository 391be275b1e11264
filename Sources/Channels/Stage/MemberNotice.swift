/// A notification for the connections of one member of a group.
package struct MemberNotice: Sendable, Hashable {
  package let userID: String
  /// The notification as a JSON text.
  package let payload: [UInt8]
  /// The connection that receives it only as the answer to its request.
  package let except: SessionAddress?
}

/// A notification without a number for the connections of a group's members.
package struct MembersNotice: Sendable, Hashable {
  /// The notification as a JSON text.
  package let payload: [UInt8]
  /// The members who do not receive it.
  package let exceptIDs: [String]
}
