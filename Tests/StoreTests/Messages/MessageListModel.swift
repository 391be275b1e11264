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
    message.createdAt >= query.visibleFrom && (query.messageType ?? message.type) == message.type
      && (query.customTypes.isEmpty || query.customTypes.contains(message.customType))
      && (query.senderIDs.isEmpty || query.senderIDs.contains(message.userID ?? "-"))
      && (query.operatorFilter == .all
        || message.isOperatorMessage == (query.operatorFilter == .operators))
  }

  /// Negative before the anchor, positive after it.
  private func place(_ message: NewMessage, _ anchor: MessageQuery.Anchor) -> Int64 {
    switch anchor {
    case .message(let id): message.id - id
    case .time(let time): message.createdAt - time
    }
  }
}
