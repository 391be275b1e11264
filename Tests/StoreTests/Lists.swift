import Channels
import ParleyProtocol

@testable import Store

/// Lists whose items are kept as they are, whatever they would take of an answer.
extension StoreTransaction {
  func listMessages(_ query: MessageQuery) throws -> [Message] {
    try listMessages(query) { PageItem($0.message, byteCount: 0) }.items
  }

  func listChannels(_ query: ChannelQuery) throws -> ChannelPage {
    let page = try listChannels(query) { PageItem($0, byteCount: 0) }
    return ChannelPage(channels: page.items, next: page.next)
  }

  func listUsers(_ query: UserQuery) throws -> UserPage {
    let page = try listUsers(query) { PageItem($0, byteCount: 0) }
    return UserPage(users: page.items, next: page.next)
  }

  func listRestrictions(
    _ kind: RestrictionKind, channelID: Int64, at now: Int64, limit: Int = 10, token: String? = nil
  ) throws -> RestrictionPage {
    let page = try listRestrictions(
      kind, channelID: channelID, at: now, limit: limit, token: token
    ) { PageItem($0, byteCount: 0) }
    return RestrictionPage(restrictions: page.items, next: page.next)
  }
}

struct ChannelPage: Sendable, Hashable {
  var channels: [Channel]
  var next: String
}

struct UserPage: Sendable, Hashable {
  var users: [Account]
  var next: String
}

struct RestrictionPage: Sendable, Hashable {
  var restrictions: [RestrictedUser]
  var next: String
}
