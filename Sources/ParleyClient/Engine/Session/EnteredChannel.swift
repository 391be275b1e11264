internal import ParleyProtocol

/// A channel that the client is in, or was in when the connection was lost.
struct EnteredChannel: Sendable {
  /// How a channel is re-entered.
  enum Recovery: Sendable, Hashable {
    /// With recovery of all missed events.
    case wanted
    /// Without recovery: the response was larger than this client accepts.
    case forgone
  }

  /// Whether this connection is in the channel.
  enum Presence: Sendable, Hashable {
    case inside
    /// The connection that was in the channel is lost.
    case outside
    /// The request to leave was sent.
    case leaving
  }

  /// `nil` if the server's response had none: then nothing can be recovered.
  var position: ChannelPosition?
  var presence = Presence.inside
  var recovery = Recovery.wanted
  /// The number of consecutive failures of the server to let the client re-enter.
  var failureCount = 0

  /// The position to recover from.
  var recoverable: ChannelPosition? { recovery == .wanted ? position : nil }

  /// Counts a durable event, and returns whether it is new.
  mutating func admit(_ seq: Int64) -> Bool {
    guard let known = position else { return true }
    guard known.isNew(seq) else { return false }
    // Before the channel is re-entered, events have no order.
    if presence == .outside { position?.note(seq) } else { position?.reach(seq) }
    return true
  }
}

/// The parts of a response to `channel.enter` that the engine needs.
struct EnterAnswer {
  let position: ChannelPosition?
  let isRecovered: Bool
  let events: [(method: String, params: JSONNode)]

  /// Reads the valid members, and ignores the rest.
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

/// The position up to which a channel's durable events have been received.
///
///     seen          1 2 3 4 5 · 7 · 9          `reached` 5, `ahead` 7 and 9
///     recover from            ▲
///
/// Events arrive in order, so a received event implies all events before it. The response to a send is
/// not an event: it may overtake earlier events, and counts only for itself until they have arrived.
struct ChannelPosition: Sendable, Hashable {
  /// The maximum number of responses ahead of earlier events; beyond it the oldest counts as reached.
  static let aheadLimit = 256

  /// The epoch of the sequence numbers.
  private(set) var epoch: String
  /// Every event up to this `seq` was received or permanently withheld.
  private(set) var reached: Int64
  /// The sequence numbers received beyond `reached`, ascending.
  private(set) var ahead: [Int64] = []

  init(epoch: String, reached: Int64) {
    self.epoch = epoch
    self.reached = reached
  }

  /// Returns whether an event was not received before.
  func isNew(_ seq: Int64) -> Bool {
    seq > reached && !ahead.contains(seq)
  }

  /// Records an event received in order: earlier events have arrived, or never will.
  mutating func reach(_ seq: Int64) {
    guard seq > reached else { return }
    reached = seq
    ahead.removeAll { $0 <= seq }
    absorb()
  }

  /// Records one event, known from a response or received out of order.
  mutating func note(_ seq: Int64) {
    guard isNew(seq) else { return }
    ahead.insert(seq, at: ahead.firstIndex { $0 > seq } ?? ahead.endIndex)
    if ahead.count > Self.aheadLimit { reach(ahead[0]) }
    absorb()
  }

  /// Returns whether no event before an answer can have been missed.
  func hasSeenAll(upTo answer: ChannelPosition?) -> Bool {
    guard let answer, epoch == answer.epoch else { return false }
    return reached >= answer.reached
  }

  private mutating func absorb() {
    while let next = ahead.first, next &- 1 == reached {
      reached = next
      ahead.removeFirst()
    }
  }
}
