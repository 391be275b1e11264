/// Messages around a place in a channel, and how to go on before and after them.
package struct MessagePage<Value> {
  /// In the order of the query.
  package var items: [Value]
  /// The place to go on; `nil` when nothing that fits lies before.
  package var previous: MessageEdge?
  /// The place to go on; `nil` when nothing that fits lies after.
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
  /// The place to list from next, itself excluded.
  ///
  /// It need not be a message of the page: the query may have passed others that do not fit.
  package var messageID: Int64

  package init(messageID: Int64) {
    self.messageID = messageID
  }
}
