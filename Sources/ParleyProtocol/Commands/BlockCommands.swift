/// `user.blocked`: a page of the users whom the caller blocks, in the order of their ids.
package struct BlockedUsers: Sendable, Hashable {
  /// 1 to 100.
  package var limit: Int
  /// The end of the previous page; `nil` for the first page.
  package var token: String?

  init(_ parameters: Fields) throws(ServiceError) {
    limit = try parameters.pageSize(Limits.defaultMemberPageSize)
    token = try parameters.pageToken()
  }
}

extension ServiceError {
  /// The user would block more users than it may.
  package static func tooManyBlocks(limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems, "a user may block \(limit) others: unblock one",
      data: ErrorDetails(limit: Int64(limit), scope: "user"))
  }

  /// A user named itself as the one to block.
  ///
  /// - Parameter field: The parameter that has the user's own id.
  package static func ownBlock(_ field: String, _ userID: String) -> ServiceError {
    .invalid(field, userID, expected: "another user")
  }
}
