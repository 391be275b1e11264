import Store

/// A pass over channels that removes the messages past their retention in steps.
///
/// Ends early at ``messageLimit`` and leaves the rest to the next pass. A pure value: its host queries
/// and removes, and reports the results.
struct RetentionPass {
  /// The number of messages after which a pass ends; the last removal may exceed it.
  static let messageLimit = 1_000_000

  /// The next action.
  enum Step: Equatable {
    /// Finds channels with old messages, after a channel.
    case find(after: Int64)
    /// Removes some messages of a channel.
    case remove(from: ExpiringChannel)
    case end
  }

  /// The channels that the pass looks at.
  let scope: ExpiryQuery.Scope
  /// The number of removed messages.
  private(set) var removedCount = 0
  /// The channels that were found.
  ///
  /// The next one is last.
  private var channels: [ExpiringChannel] = []
  /// The channel after which to search; `nil` after the last page.
  private var position: Int64? = 0

  init(over scope: ExpiryQuery.Scope) {
    self.scope = scope
  }

  /// Whether all messages past their retention were removed.
  var isComplete: Bool { channels.isEmpty && position == nil }

  var step: Step {
    if removedCount >= Self.messageLimit { return .end }
    if let channel = channels.last { return .remove(from: channel) }
    return position.map { .find(after: $0) } ?? .end
  }

  mutating func didFind(_ page: ExpiryQuery.Page) {
    channels = page.channels.reversed()
    position = page.next
  }

  /// - Parameter limit: The most messages that could be removed.
  mutating func didRemove(_ count: Int, of limit: Int) {
    removedCount += count
    if count < limit { channels.removeLast() }
  }

  /// Leaves the channel whose turn it is to a later pass.
  mutating func skip() { channels.removeLast() }
}
