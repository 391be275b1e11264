/// The channels with the most participants after a position, of any number of channels.
///
/// Keeps at most twice the requested number at a time, so that a page of a list does not sort all channels.
package struct FullestChannels: Sendable {
  /// The numbers of channels that can be requested.
  package static let limits: ClosedRange<Int64> = 1...1_000

  private let limit: Int
  private let position: CountedChannel?
  private var kept: [CountedChannel] = []
  /// The last channel that belongs to the result, once there are enough.
  private var last: CountedChannel?

  /// - Parameter position: Only channels after this one are selected; `nil` for all.
  package init(limit: Int, after position: CountedChannel?) {
    self.limit = limit
    self.position = position
  }

  /// Considers channels with participants by their URLs.
  package mutating func offer(_ channels: [String: ParticipantRank]) {
    for (url, rank) in channels {
      // Most are left out by a look at their numbers.
      if let last, last.rank.precedes(rank) { continue }
      if let position, rank.precedes(position.rank) { continue }
      offer(CountedChannel(url: url, rank: rank))
    }
  }

  /// Considers a channel; one without participants is ignored.
  package mutating func offer(_ channel: CountedChannel) {
    guard channel.participants > 0 else { return }
    if let last, !channel.precedes(last) { return }
    if let position, !position.precedes(channel) { return }
    kept.append(channel)
    if kept.count >= 2 * limit { cut() }
  }

  /// The selected channels in their order.
  package func selection() -> Selection {
    var sorted = self
    sorted.cut()
    // While a channel moves, two servers may count it.
    var urls: Set<String> = []
    let channels = sorted.kept.filter { urls.insert($0.url).inserted }
    return Selection(channels: channels, isComplete: sorted.kept.count < limit)
  }

  private mutating func cut() {
    kept.sort { $0.precedes($1) }
    kept.removeLast(max(kept.count - limit, 0))
    if kept.count == limit { last = kept.last }
  }

  package struct Selection: Sendable, Hashable {
    package let channels: [CountedChannel]
    /// Whether there are no other channels after them.
    package let isComplete: Bool

    package init(channels: [CountedChannel], isComplete: Bool) {
      self.channels = channels
      self.isComplete = isComplete
    }
  }
}
