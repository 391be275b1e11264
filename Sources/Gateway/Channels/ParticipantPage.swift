import Basics
import Channels
import ParleyProtocol
import Store

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
  /// A page of the users in the channel; it ends before it would take more than an answer holds.
  ///
  /// - Throws: 400109 for a token that leads nowhere.
  func participantPage(limit: Int, token: String?) throws(ServiceError) -> ParticipantPage {
    let cursor = PageCursor<Int64>(of: ["participants", url])
    let entry = (token ?? "").isEmpty ? 0 : cursor.position(in: token ?? "")
    guard let entry, entry >= 0 else { throw .pageTokenExpired }
    let page = stage.participants(after: entry, limit: limit + 1)
    var room = PageRoom.answer
    let shown = page.prefix(limit).prefix { room.admit(byteCount: $0.user.referenceByteCount) }
    let last = page.count > shown.count ? shown.last : nil
    return ParticipantPage(
      users: shown.map(\.user), next: last.map { cursor.token(after: $0.entry) } ?? "")
  }
}
