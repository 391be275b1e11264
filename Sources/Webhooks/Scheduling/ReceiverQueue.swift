import DequeModule
import HeapModule

/// The lanes of one URL that have something to send.
struct ReceiverQueue {
  enum LaneState {
    /// It waits for its turn.
    case ready
    case inFlight
    /// It failed and waits for a time.
    case waiting(until: Int64)
  }

  struct LaneEntry {
    /// The last event that the receiver has taken.
    var delivered: Int64
    var last: Int64
    var state = LaneState.ready
    var failures = 0
  }

  private struct Return: Comparable {
    let time: Int64
    let channelURL: String

    static func < (left: Return, right: Return) -> Bool {
      (left.time, left.channelURL) < (right.time, right.channelURL)
    }
  }

  private var lanes: [String: LaneEntry] = [:]
  private var ready: Deque<String> = []
  private var returns: Heap<Return> = []
  private var inFlightCount = 0
  /// The receiver asked for no request before this time.
  private var pausedUntil = Int64.min

  /// Lanes with something to send, and those whose request is under way.
  var laneCount: Int { lanes.count }

  /// Adds events up to `last`; those up to `after` count as delivered in a lane that has
  /// nothing to send.
  mutating func add(_ channelURL: String, after: Int64, through last: Int64) {
    if var entry = lanes[channelURL] {
      entry.last = max(entry.last, last)
      lanes[channelURL] = entry
    } else {
      lanes[channelURL] = LaneEntry(delivered: after, last: last)
      ready.append(channelURL)
    }
  }

  /// The next lane whose turn it is, with fewer than `limit` under way.
  mutating func next(_ now: Int64, limit: Int) -> (channelURL: String, entry: LaneEntry)? {
    while let due = returns.min, due.time <= now {
      returns.removeMin()
      lanes[due.channelURL]?.state = .ready
      ready.append(due.channelURL)
    }
    guard inFlightCount < limit, pausedUntil <= now, let channelURL = ready.popFirst(),
      let entry = lanes[channelURL]
    else { return nil }
    lanes[channelURL]?.state = .inFlight
    inFlightCount += 1
    return (channelURL, entry)
  }

  /// A request has ended, and the receiver has all up to `through`.
  mutating func didDeliver(_ channelURL: String, through: Int64) {
    guard var entry = lanes[channelURL], case .inFlight = entry.state else { return }
    inFlightCount -= 1
    entry.delivered = max(entry.delivered, through)
    entry.failures = 0
    entry.state = .ready
    guard entry.delivered < entry.last else {
      lanes[channelURL] = nil
      return
    }
    lanes[channelURL] = entry
    ready.append(channelURL)
  }

  /// A request has failed once more, and what it held up to an event is given up.
  mutating func didFail(
    _ channelURL: String, _ now: Int64, givingUp through: Int64,
    wait: (_ failures: Int) -> Int64
  ) {
    guard var entry = lanes[channelURL], case .inFlight = entry.state else { return }
    inFlightCount -= 1
    entry.delivered = max(entry.delivered, through)
    guard entry.delivered < entry.last else {
      lanes[channelURL] = nil
      return
    }
    entry.failures += 1
    let time = now + wait(entry.failures)
    entry.state = .waiting(until: time)
    lanes[channelURL] = entry
    returns.insert(Return(time: time, channelURL: channelURL))
  }

  /// Sends nothing before a time.
  mutating func pause(until time: Int64) { pausedUntil = max(pausedUntil, time) }

  /// The time of the next request; `nil` when nothing waits.
  ///
  /// - Parameter limit: Requests that may be under way.
  func nextAttempt(limit: Int) -> Int64? {
    let isReady = !ready.isEmpty && inFlightCount < limit
    let time = isReady ? Int64.min : returns.min?.time
    return time.map { max($0, pausedUntil) }
  }
}
