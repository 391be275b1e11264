/// Up to where a channel's durable events have been seen.
///
///     seen          1 2 3 4 5 · 7 · 9          `reached` 5, `ahead` 7 and 9
///     recover from            ▲
///
/// Events come in order, so one that is shown stands for all before it. The answer to a send is no
/// event: it may overtake events before it, and so only counts by itself until they have come.
struct ChannelPosition: Sendable, Hashable {
  /// Answers that may be ahead of the events before them; an older one is taken for reached.
  static let aheadLimit = 256

  /// The life of the count.
  private(set) var epoch: String
  /// Everything up to this `seq` was seen, or withheld for good.
  private(set) var reached: Int64
  /// Seen beyond that, ascending.
  private(set) var ahead: [Int64] = []

  init(epoch: String, reached: Int64) {
    self.epoch = epoch
    self.reached = reached
  }

  /// Whether an event was not seen yet.
  func isNew(_ seq: Int64) -> Bool {
    seq > reached && !ahead.contains(seq)
  }

  /// An event came in its order: those before it have come, or never will.
  mutating func reach(_ seq: Int64) {
    guard seq > reached else { return }
    reached = seq
    ahead.removeAll { $0 <= seq }
    absorb()
  }

  /// One event is known, by an answer or out of order.
  mutating func note(_ seq: Int64) {
    guard isNew(seq) else { return }
    ahead.insert(seq, at: ahead.firstIndex { $0 > seq } ?? ahead.endIndex)
    if ahead.count > Self.aheadLimit { reach(ahead[0]) }
    absorb()
  }

  private mutating func absorb() {
    while let next = ahead.first, next &- 1 == reached {
      reached = next
      ahead.removeFirst()
    }
  }
}
