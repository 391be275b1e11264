import Channels
import ParleyProtocol

@testable import Store

/// `message.list` over an array: the obvious way.
struct MessageListModel {
  /// In the order of sending.
  var messages: [NewMessage] = []

  func list(_ query: MessageQuery) -> [Int64] {
    let fitting = messages.filter { fits($0, query) }
    let before = fitting.filter { place($0, query.anchor) < 0 }.suffix(query.previousLimit)
    let at = query.center == .included ? fitting.filter { place($0, query.anchor) == 0 } : []
    let after = fitting.filter { place($0, query.anchor) > 0 }.prefix(query.nextLimit)
    let ids = (Array(before) + at + Array(after)).map(\.id)
    return query.order == .oldestFirst ? ids : ids.reversed()
  }

  private func fits(_ message: NewMessage, _ query: MessageQuery) -> Bool {
    message.createdAt >= query.visibleFrom && matches(message, query.filter)
      && (query.operatorFilter == .all
        || message.isOperatorMessage == (query.operatorFilter == .operators))
  }

  private func matches(_ message: NewMessage, _ filter: MessageFilter) -> Bool {
    let hasLink = message.openGraphTag != nil || message.text.contains("HTTPS://")
    if let userID = filter.mentionedUserID {
      guard message.mentionType == .channel || message.mentionedUserIDs.contains(userID) else {
        return false
      }
    }
    return (filter.type ?? message.type) == message.type
      && (filter.customTypes.isEmpty || filter.customTypes.contains(message.customType))
      && (filter.senderIDs.isEmpty || filter.senderIDs.contains(message.userID ?? "-"))
      && (filter.hasFile ?? (message.file != nil)) == (message.file != nil)
      && (filter.hasLink ?? hasLink) == hasLink
      && message.createdAt >= filter.from ?? 0 && message.createdAt <= filter.to ?? .max
      // A message that was never changed.
      && filter.updatedSince == nil
  }

  /// Negative before the anchor, positive after it.
  private func place(_ message: NewMessage, _ anchor: MessageQuery.Anchor) -> Int64 {
    switch anchor {
    case .message(let id): message.id - id
    case .time(let time): message.createdAt - time
    }
  }
}
