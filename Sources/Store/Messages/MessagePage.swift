/// Messages around a place in a channel, and how to go on before and after them.
package struct MessagePage<Value> {
  /// In the order of the query.
  package var items: [Value]
  /// The place to go on; `nil` when nothing that fits lies before.
  package var previous: MessageEdge?
  /// The place to go on; `nil` when nothing that fits lies after.
  package var next: MessageEdge?
}

extension MessagePage: Sendable where Value: Sendable {}

/// The end of a page of messages.
package struct MessageEdge: Sendable, Hashable {
  /// The place to list from next, itself excluded.
  ///
  /// It need not be a message of the page: the query may have passed others that do not fit.
  package var messageID: Int64
}
