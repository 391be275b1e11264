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

extension HomeChannel {
  /// A page of the users in the channel; it ends before it would take more than an answer holds.
  ///
  /// - Throws: 400109 for a token that leads nowhere.
  func participantPage(limit: Int, token: String?) throws(ServiceError) -> ParticipantPage {
    let entry = try ParticipantPageToken.entry(of: token, channelURL: url)
    let page = stage.participants(after: entry, limit: limit + 1)
    var room = PageRoom.answer
    let shown = page.prefix(limit).prefix { room.admit(byteCount: $0.user.referenceByteCount) }
    let next =
      page.count > shown.count ? ParticipantPageToken.text(after: shown.last, channelURL: url) : ""
    return ParticipantPage(users: shown.map(\.user), next: next)
  }
}

/// The token of a page of participants: the entry that it ended with.
private enum ParticipantPageToken {
  /// - Throws: 400109 for a token that is not one of this channel's.
  static func entry(of token: String?, channelURL: String) throws(ServiceError) -> Int64 {
    guard let token, !token.isEmpty else { return 0 }
    guard let position = PageToken.decode(token, query: query(channelURL)),
      position.count == 8
    else { throw .pageTokenExpired }
    let entry = position.reduce(Int64(0)) { $0 << 8 | Int64($1) }
    guard entry >= 0 else { throw .pageTokenExpired }
    return entry
  }

  static func text(after last: Participant?, channelURL: String) -> String {
    guard let last else { return "" }
    let position = withUnsafeBytes(of: last.entry.bigEndian, Array.init)
    return PageToken.encode(position, query: query(channelURL))
  }

  private static func query(_ channelURL: String) -> [String] { ["participants", channelURL] }
}
