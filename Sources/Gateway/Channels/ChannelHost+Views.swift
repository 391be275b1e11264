import Basics
import Channels
import ParleyProtocol
import Store

/// Parts of a channel as they are asked for from outside.
extension ChannelHost {
  /// Reads a ban that holds, with the user's profile.
  func viewBan(
    of userID: String,
    then answer:
      @escaping @Sendable (ChannelHost, Result<ImposedRestriction, ServiceError>) -> Void
  ) {
    guard let ban = restriction(.ban, of: userID) else {
      return answer(self, .failure(.notFound(.ban, userID)))
    }
    lookUp(
      { ImposedRestriction(user: try $0.user(userID) ?? User(id: userID), restriction: ban) },
      then: answer)
  }

  /// Reads the mute of a user there is; `nil` when none holds.
  func viewMute(
    of userID: String,
    then answer: @escaping @Sendable (ChannelHost, Result<Restriction?, ServiceError>) -> Void
  ) {
    let mute = restriction(.mute, of: userID)
    lookUp(
      {
        guard try $0.user(userID) != nil else { throw ServiceError.notFound(.user, userID) }
        return mute
      }, then: answer)
  }

  /// A page of operators, as many as an answer holds.
  ///
  /// A page ends at a position, not at an operator: a new operator comes at the end of the list.
  func operatorPage(
    limit: Int, token: String?
  ) throws(ServiceError) -> ListPage<[UInt8]> {
    let cursor = PageCursor<Int64>(of: ["operators", url])
    var position = 0
    if let token, !token.isEmpty {
      guard let end = cursor.position(in: token), end >= 0 else { throw .pageTokenExpired }
      position = Int(end)
    }
    var room = PageRoom.answer
    var page = ListPage<[UInt8]>(items: [], next: "")
    for user in info.channel.operators.dropFirst(position).prefix(limit) {
      let item = PageItem { user.encode(into: &$0) }
      guard room.admit(byteCount: item.byteCount) else { break }
      page.items.append(item.value)
    }
    let end = position + page.items.count
    if end < info.channel.operators.count { page.next = cursor.token(after: Int64(end)) }
    return page
  }
}
