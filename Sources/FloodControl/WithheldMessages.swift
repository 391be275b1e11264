/// The messages that a participant was not shown: their number and the range of their ids.
///
/// Equal for all participants who missed the same messages, so that they receive the same bytes.
package struct WithheldMessages: Sendable, Hashable {
  /// The number of messages withheld, at least 1.
  package private(set) var count: Int
  /// The id of the first.
  package let firstMessageID: Int64
  /// The id of the last.
  package private(set) var lastMessageID: Int64

  package init(firstMessageID: Int64) {
    count = 1
    self.firstMessageID = firstMessageID
    lastMessageID = firstMessageID
  }

  /// Adds the next message.
  package mutating func append(_ messageID: Int64) {
    count += 1
    lastMessageID = messageID
  }
}
