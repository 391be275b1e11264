import Store

/// A pass over all channels that removes the messages past their retention, some at a time.
///
/// It ends early at ``messageLimit``: the rest is left to the next pass. A pure value: its host looks up
/// and removes, and reports what came of it.
struct RetentionPass {
  /// Messages that a pass removes at most, with up to one removal more.
  static let messageLimit = 1_000_000

  /// The next thing to do.
  enum Step: Equatable {
    /// Find channels with old messages behind a channel.
    case find(after: Int64)
    /// Remove some messages of a channel.
    case remove(from: Int64)
    case end
  }

  /// The messages that were removed.
  private(set) var removedCount = 0
  /// The channels that were found, the next one last.
  private var channelIDs: [Int64] = []
  /// The channel behind which to look; `nil` after the last page.
  private var position: Int64? = 0

  /// Whether all was removed.
  var isComplete: Bool { channelIDs.isEmpty && position == nil }

  var step: Step {
    if removedCount >= Self.messageLimit { return .end }
    if let channelID = channelIDs.last { return .remove(from: channelID) }
    return position.map { .find(after: $0) } ?? .end
  }

  mutating func didFind(_ page: ExpiryQuery.Page) {
    channelIDs = page.channelIDs.reversed()
    position = page.next
  }

  /// - Parameter limit: Most messages that could be removed.
  mutating func didRemove(_ count: Int, of limit: Int) {
    removedCount += count
    if count < limit { channelIDs.removeLast() }
  }
}
