/// Smart throttling for one participant of one channel.
///
/// A message of another user is shown only if, in the window that ends with it
/// (`created_at − window < t ≤ created_at`), fewer than `count` messages were shown. Start with
/// an empty throttle when the participant's first connection enters. Small, since there is one per
/// participant: nothing is allocated before the first message that counts.
package struct Throttle: Sendable {
  /// The relation of a message to the participant.
  package enum Relation: Sendable, Hashable, CaseIterable {
    /// The participant wrote it: always shown, and counted.
    case own
    /// Another user wrote it: shown, and then counted, if there is room.
    case others
    /// An admin message: always shown, and not counted.
    case admin
    /// The participant is an operator: always shown. It is counted like any message shown, so that
    /// the window of a participant who stops being an operator holds the messages it has seen.
    case operatorView
  }

  /// Whether a message is shown to the participant.
  package enum Decision: Sendable, Hashable {
    case shown
    case withheld
  }

  private var window = SlidingWindow()

  /// The messages that were withheld and not yet reported.
  package private(set) var withheld: WithheldMessages?

  package init() {}

  /// Decides on the next message of the channel, and records it if it is withheld.
  ///
  /// - Parameters:
  ///   - createdAt: The message's `created_at`; messages are given in the channel's order, in
  ///     which it never decreases.
  ///   - messageID: The message's id, for the summary.
  package mutating func decide(
    _ relation: Relation, createdAt: Int64, messageID: Int64, limit: RateLimit
  ) -> Decision {
    switch relation {
    case .admin:
      return .shown
    case .own, .operatorView:
      window.record(at: createdAt, limit: limit)
      return .shown
    case .others:
      guard window.admit(at: createdAt, limit: limit) != nil else { return .shown }
      withhold(messageID)
      return .withheld
    }
  }

  /// Returns the messages withheld since the last call, to be reported in `channel.throttled`.
  package mutating func takeWithheld() -> WithheldMessages? {
    defer { withheld = nil }
    return withheld
  }

  /// The number of messages in the window that applies to a message of this time.
  package func shownCount(at createdAt: Int64, limit: RateLimit) -> Int {
    window.usage(at: createdAt, limit: limit).used
  }

  private mutating func withhold(_ messageID: Int64) {
    guard withheld != nil else {
      withheld = WithheldMessages(firstMessageID: messageID)
      return
    }
    withheld?.append(messageID)
  }
}

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
