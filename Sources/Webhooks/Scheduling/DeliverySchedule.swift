/// Decides which lane may send next.
///
/// Each lane has one request under way at most, so a channel's events reach a URL in order; each
/// URL has a bounded number under way, and its lanes take turns. A lane that fails waits, longer
/// each time, and holds up no other. Knows no clock: times are any milliseconds that never go back.
package struct DeliverySchedule: Sendable {
  private var queues: [ReceiverQueue]
  private let concurrency: Int
  private let waits: RetryWaits
  /// The URL whose turn is looked at first, so that none is preferred.
  private var firstReceiver = 0

  /// - Parameters:
  ///   - receivers: The number of URLs.
  ///   - concurrency: Most requests under way to each; at least 1.
  package init(receivers: Int, concurrency: Int, waits: RetryWaits = RetryWaits()) {
    queues = Array(repeating: ReceiverQueue(), count: receivers)
    self.concurrency = max(1, concurrency)
    self.waits = waits
  }

  /// Adds the events that wait when the server starts.
  package mutating func add(_ lane: Lane, after: Int64, through: Int64) {
    queues[lane.receiver].add(lane.channelURL, after: after, through: through)
  }

  /// Adds a new event, which is for all URLs.
  package mutating func didQueue(_ channelURL: String, eventID: Int64) {
    for index in queues.indices {
      queues[index].add(channelURL, after: eventID - 1, through: eventID)
    }
  }

  /// The next lane that may send, which then is under way until its outcome is reported.
  package mutating func next(at now: Int64) -> Turn? {
    for offset in queues.indices {
      let index = (firstReceiver + offset) % queues.count
      guard let (url, entry) = queues[index].next(now, limit: concurrency) else { continue }
      firstReceiver = (index + 1) % queues.count
      return Turn(
        lane: Lane(receiver: index, channelURL: url), after: entry.delivered, through: entry.last,
        failures: entry.failures)
    }
    return nil
  }

  /// A lane's turn is over: all up to an event is delivered, or need not be.
  package mutating func didDeliver(_ lane: Lane, through eventID: Int64) {
    queues[lane.receiver].didDeliver(lane.channelURL, through: eventID)
  }

  /// A lane's turn is over, and nothing was delivered.
  ///
  /// - Parameters:
  ///   - asked: The pause that the receiver asked for, in milliseconds; this holds for all
  ///     of its lanes.
  ///   - random: Any number; spreads deliveries that failed together.
  package mutating func didFail(
    _ lane: Lane, at now: Int64, asked: Int64? = nil, random: UInt64
  ) {
    didGiveUp(lane, through: .min, at: now, asked: asked, random: random)
  }

  /// A lane's turn is over: nothing was delivered, and all up to an event need not be any more.
  ///
  /// Later events wait as after any failure.
  package mutating func didGiveUp(
    _ lane: Lane, through eventID: Int64, at now: Int64, asked: Int64? = nil, random: UInt64
  ) {
    queues[lane.receiver].didFail(lane.channelURL, now, givingUp: eventID) {
      waits.wait(after: $0, asked: asked, random: random)
    }
    if let asked {
      queues[lane.receiver].pause(until: now + min(asked, waits.longestAsked))
    }
  }

  /// The time of the next request to a URL; `Int64.min` stands for now, `nil` for none.
  package func nextAttempt(receiver: Int) -> Int64? {
    queues[receiver].nextAttempt(limit: concurrency)
  }

  /// The time of the next request; `nil` when nothing waits for a time.
  package var nextAttempt: Int64? {
    queues.indices.compactMap { nextAttempt(receiver: $0) }.min()
  }

  /// The number of lanes that have events to send.
  package var laneCount: Int { queues.reduce(0) { $0 + $1.laneCount } }
}
