/// A notification for the connections of one member of a group.
package struct MemberNotice: Sendable, Hashable {
  package let userID: String
  /// The notification as a JSON text.
  package let payload: [UInt8]
  /// The connection that receives it only as the answer to its request.
  package let except: SessionAddress?
}
