package import ParleyProtocol

/// A query for messages: some before a position in a channel, some after it.
package struct MessageQuery: Sendable, Hashable {
  /// The store's own number of the channel.
  package var channelID: Int64
  package var anchor: Anchor
  /// The maximum number of messages before the anchor, 0 to 200.
  package var previousLimit: Int
  /// The maximum number of messages after the anchor, 0 to 200.
  package var nextLimit: Int
  package var center: Center
  package var order: Order
  package var filter: MessageFilter
  package var operatorFilter: OperatorFilter
  /// The earliest `created_at` of a message that is found, in Unix milliseconds.
  ///
  /// See ``Member/visibleFrom``.
  package var visibleFrom: Int64 = 0

  /// The position from which messages are listed in both directions.
  package enum Anchor: Sendable, Hashable {
    /// The position of the message, even after its deletion.
    case message(Int64)
    /// A moment, Unix milliseconds.
    case time(Int64)
  }

  /// Whether the items at the anchor itself are listed: the message, or the messages of exactly
  /// that millisecond (200 at most, the newest).
  package enum Center: Sendable, Hashable {
    case included
    case excluded
  }

  /// The order of the result.
  package enum Order: Sendable, Hashable {
    case oldestFirst
    case newestFirst
  }

  /// A filter of authors, by whether the author was an operator at the time of sending; admin
  /// messages count as those of non-operators.
  package enum OperatorFilter: String, Sendable, CaseIterable {
    case all
    case operators = "operator"
    case others = "nonoperator"
  }

  package init(
    channelID: Int64, anchor: Anchor, previousLimit: Int = 15, nextLimit: Int = 0,
    center: Center = .included, order: Order = .oldestFirst,
    filter: MessageFilter = MessageFilter(), operatorFilter: OperatorFilter = .all
  ) {
    self.channelID = channelID
    self.anchor = anchor
    self.previousLimit = previousLimit
    self.nextLimit = nextLimit
    self.center = center
    self.order = order
    self.filter = filter
    self.operatorFilter = operatorFilter
  }
}

/// Messages around a position in a channel, with the positions for continuing before and after them.
package struct MessagePage<Value> {
  /// In the order of the query.
  package var items: [Value]
  /// The position for continuing; `nil` if no matching message lies before.
  package var previous: MessageEdge?
  /// The position for continuing; `nil` if no matching message lies after.
  package var next: MessageEdge?

  package init(items: [Value], previous: MessageEdge?, next: MessageEdge?) {
    self.items = items
    self.previous = previous
    self.next = next
  }
}

extension MessagePage: Sendable where Value: Sendable {}
extension MessagePage: Equatable where Value: Equatable {}
extension MessagePage: Hashable where Value: Hashable {}

/// The end of a page of messages.
package struct MessageEdge: Sendable, Hashable {
  /// The position to list from next, itself excluded.
  ///
  /// It need not be a message of the page: the query may have skipped others that do not match.
  package var messageID: Int64

  package init(messageID: Int64) {
    self.messageID = messageID
  }
}

/// The party for which a query runs; principals take turns at the readers.
package enum QueryPrincipal: Hashable, Sendable {
  /// A user, over all its connections.
  case user(String)
  /// A caller of the Platform API, by the digest of its token.
  case apiToken([UInt8])
  /// Anonymous callers, by their network.
  case address(UInt64, UInt64)
  /// The server itself.
  case server
}

/// The cost of a query.
package struct QueryCost: Sendable, Hashable {
  /// The time used on a reader.
  package var nanoseconds: UInt64
  /// Whether the query ended early because of its time limit.
  package var isCutShort: Bool

  package init(nanoseconds: UInt64, isCutShort: Bool) {
    self.nanoseconds = nanoseconds
    self.isCutShort = isCutShort
  }

  package static let none = QueryCost(nanoseconds: 0, isCutShort: false)
}
