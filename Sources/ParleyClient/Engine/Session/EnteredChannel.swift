internal import ParleyProtocol

/// A channel that the client is in, or was in when the connection was lost.
struct EnteredChannel: Sendable {
  /// The way in which a channel is entered again.
  enum Recovery: Sendable, Hashable {
    /// With all that was missed.
    case wanted
    /// Without: the answer was larger than this client takes.
    case forgone
  }

  /// Whether this connection is in the channel.
  enum Presence: Sendable, Hashable {
    case inside
    /// The connection that was in it is gone.
    case outside
    /// The request to leave is on its way.
    case leaving
  }

  /// `nil` when the server's answer gave none: nothing can be recovered then.
  var position: ChannelPosition?
  var presence = Presence.inside
  var recovery = Recovery.wanted
  /// The number of times in a row that the server failed to let the client in again.
  var failureCount = 0

  /// The position to recover from.
  var recoverable: ChannelPosition? { recovery == .wanted ? position : nil }

  /// Counts a durable event, and says whether it is news.
  mutating func admit(_ seq: Int64) -> Bool {
    guard let known = position else { return true }
    guard known.isNew(seq) else { return false }
    // Before the channel is entered again nothing is in its order.
    if presence == .outside { position?.note(seq) } else { position?.reach(seq) }
    return true
  }
}

/// The parts of an answer to `channel.enter` that the engine itself needs.
struct EnterAnswer {
  let position: ChannelPosition?
  let isRecovered: Bool
  let events: [(method: String, params: JSONNode)]

  /// Takes out what is as expected, and passes over the rest.
  init(_ result: JSONNode) {
    if let epoch = result.present("epoch")?.string, let seq = result.present("seq")?.integer {
      position = ChannelPosition(epoch: epoch, reached: max(0, seq))
    } else {
      position = nil
    }
    isRecovered = result.present("recovered")?.bool ?? false
    var events: [(method: String, params: JSONNode)] = []
    if let elements = result.present("events")?.elements {
      for event in elements {
        guard let method = event["method"]?.string, let params = event.present("params") else {
          continue
        }
        events.append((method, params))
      }
    }
    self.events = events
  }
}

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
