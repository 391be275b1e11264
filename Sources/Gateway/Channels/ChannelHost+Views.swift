import Basics
import Channels
import ParleyProtocol
import Store

/// Parts of a channel as callers request them.
extension ChannelHost {
  /// Reads a ban that is in force, with the user's profile.
  func viewBan(
    of userID: String,
    then answer:
      @escaping @Sendable (ChannelHost, Result<ImposedRestriction, ServiceError>) -> Void
  ) {
    guard let ban = restriction(.ban, of: userID) else {
      return answer(self, .failure(.notFound(.ban, userID)))
    }
    perform(AccountLookup(userID)) { channel, result in
      answer(
        channel,
        result.map { ImposedRestriction(user: $0?.user ?? User(id: userID), restriction: ban) })
    }
  }

  /// Reads the mute of an existing user; `nil` when none is in force.
  func viewMute(
    of userID: String,
    then answer: @escaping @Sendable (ChannelHost, Result<Restriction?, ServiceError>) -> Void
  ) {
    let mute = restriction(.mute, of: userID)
    perform(AccountLookup(userID)) { channel, result in
      answer(channel, result.existing(userID).map { _ in mute })
    }
  }

  /// Returns a page of operators, at most as many as an answer holds.
  ///
  /// A page ends at a position, not at an operator: new operators are appended to the list.
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

/// Users in a channel, in the order in which they entered, and the token of the next page.
struct ParticipantPage: Sendable {
  let users: [User]
  let next: String

  /// The result of `channel.participants`.
  func encoded() -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.name("participants")
        users.encodeReferences(into: &$0)
        $0.member("next", next)
      }
    }
  }
}

extension ChannelHost {
  /// Returns a page of the users in the channel, at most as many as an answer holds.
  ///
  /// - Throws: 400109 for an invalid token.
  func participantPage(limit: Int, token: String?) throws(ServiceError) -> ParticipantPage {
    let cursor = PageCursor<Int64>(of: ["participants", url])
    let entry = (token ?? "").isEmpty ? 0 : cursor.position(in: token ?? "")
    guard let entry, entry >= 0 else { throw .pageTokenExpired }
    let page = roster.page(after: entry, limit: limit + 1)
    var room = PageRoom.answer
    let shown = page.prefix(limit).prefix { room.admit(byteCount: $0.user.referenceByteCount) }
    let last = page.count > shown.count ? shown.last : nil
    return ParticipantPage(
      users: shown.map(\.user), next: last.map { cursor.token(after: $0.number) } ?? "")
  }
}
