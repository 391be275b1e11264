/// Smart throttling as one participant of one channel sees it.
///
/// Another's message is shown only if, in the window that ends with it
/// (`created_at − window < t ≤ created_at`), fewer than `count` messages were shown. Start with
/// an empty one when the participant's first connection enters. Small, for there is one per
/// participant: nothing is allocated before the first message that counts.
package struct Throttle: Sendable {
  /// The fate of a message for the participant.
  package enum Relation: Sendable, Hashable, CaseIterable {
    /// The participant wrote it: always shown, and counted.
    case own
    /// Someone else wrote it: shown when there is room, and then counted.
    case others
    /// An admin message: always shown, and it uses up nothing.
    case admin
    /// The participant is an operator: always shown. It counts like any message shown, so that a
    /// participant who stops being an operator has in its window what it has seen.
    case operatorView
  }

  /// Whether a message goes to the participant.
  package enum Decision: Sendable, Hashable {
    case shown
    case withheld
  }

  private var window = SlidingWindow()

  /// The messages that were withheld and not reported.
  package private(set) var withheld: WithheldMessages?

  package init() {}

  /// Decides on the next message of the channel, and remembers it when it is withheld.
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

  /// Takes the messages withheld since the last call, to be reported in `channel.throttled`.
  package mutating func takeWithheld() -> WithheldMessages? {
    defer { withheld = nil }
    return withheld
  }

  /// The number of messages in the window that a message of this time would be judged by.
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
