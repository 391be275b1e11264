import DequeModule
import HeapModule

/// The paths of one URL that have events to send.
struct ReceiverQueue {
  enum PathState {
    /// The path waits for its turn.
    case ready
    case inFlight
    /// The path's events were received, and that is being recorded.
    case taken
    /// The path failed and waits for a time.
    case waiting(until: Int64)
  }

  struct PathEntry {
    /// The last event that the receiver has received.
    var delivered: Int64
    var last: Int64
    var state = PathState.ready
    var failures = 0
    /// Whether the path was tried early, and has failed again since.
    var wasHastened = false
    /// Whether the path ends with its request in progress.
    var isWithdrawn = false

    var isInFlight: Bool { if case .inFlight = state { true } else { false } }
  }

  private struct Return: Comparable {
    let time: Int64
    let channelURL: String

    static func < (left: Return, right: Return) -> Bool {
      (left.time, left.channelURL) < (right.time, right.channelURL)
    }
  }

  private var paths: [String: PathEntry] = [:]
  private var ready: Deque<String> = []
  /// Waiting paths that are tried early once the receiver receives events.
  private var returns: Heap<Return> = []
  /// Waiting paths that are only tried at their scheduled time.
  private var timedReturns: Heap<Return> = []
  /// Whether waiting paths are tried early.
  private var isHastening = false
  private var inFlightCount = 0
  /// The time before which the receiver wants no requests.
  private var pausedUntil = Int64.min

  /// The number of requests in progress from which no path is tried early.
  private static let hasteLimit = 4
  /// The number of failures from which the wait of a path is long enough to be shortened.
  private static let hasteFailures = 2

  /// The number of paths with events to send, and of those with a request in progress.
  var pathCount: Int { paths.count }

  /// Adds events up to `last`; events up to `after` count as delivered in a path without events to send.
  mutating func add(_ channelURL: String, after: Int64, through last: Int64) {
    if var entry = paths[channelURL] {
      if entry.isWithdrawn {
        entry.isWithdrawn = false
        entry.delivered = max(entry.delivered, after)
      }
      entry.last = max(entry.last, last)
      paths[channelURL] = entry
    } else {
      paths[channelURL] = PathEntry(delivered: after, last: last)
      ready.append(channelURL)
    }
  }

  /// The next path in turn, if fewer than `limit` requests are in progress.
  mutating func next(_ now: Int64, limit: Int) -> (channelURL: String, entry: PathEntry)? {
    while let due = Self.takeDue(from: &returns, now) ?? Self.takeDue(from: &timedReturns, now) {
      paths[due]?.state = .ready
      paths[due]?.wasHastened = false
      ready.append(due)
    }
    guard inFlightCount < limit, pausedUntil <= now,
      let channelURL = ready.popFirst() ?? takeHastened(limit: limit), let entry = paths[channelURL]
    else { return nil }
    paths[channelURL]?.state = .inFlight
    inFlightCount += 1
    return (channelURL, entry)
  }

  /// A request has ended, and the receiver has all events up to `through`; nothing more is sent until
  /// that is recorded.
  mutating func didTake(_ channelURL: String, through: Int64) {
    guard let entry = paths[channelURL], entry.isInFlight else { return }
    inFlightCount -= 1
    paths[channelURL]?.delivered = max(entry.delivered, through)
    paths[channelURL]?.state = .taken
    hasten()
  }

  /// Tries the paths that wait for a time one after the other, a few at a time, until one fails.
  ///
  /// A path that fails although the receiver receives other events would be retried for each of them, so
  /// it is tried early only once between two scheduled attempts.
  mutating func hasten() { isHastening = !returns.isEmpty }

  /// Tries all waiting paths early, even if the receiver has requested a pause.
  mutating func retry() {
    returns.insert(contentsOf: timedReturns.unordered)
    timedReturns = []
    pausedUntil = .min
    hasten()
  }

  private mutating func takeHastened(limit: Int) -> String? {
    guard canHasten(limit: limit), let next = returns.popMin() else { return nil }
    paths[next.channelURL]?.wasHastened = true
    isHastening = !returns.isEmpty
    return next.channelURL
  }

  private func canHasten(limit: Int) -> Bool {
    isHastening && inFlightCount < min(limit, Self.hasteLimit)
  }

  private static func takeDue(from heap: inout Heap<Return>, _ now: Int64) -> String? {
    guard let first = heap.min, first.time <= now else { return nil }
    heap.removeMin()
    return first.channelURL
  }

  /// The receiver has all events up to `through`, which is recorded if necessary.
  mutating func didDeliver(_ channelURL: String, through: Int64) {
    guard var entry = paths[channelURL] else { return }
    switch entry.state {
    case .inFlight: inFlightCount -= 1
    case .taken: break
    case .ready, .waiting: return
    }
    entry.delivered = max(entry.delivered, through)
    entry.failures = 0
    entry.wasHastened = false
    entry.state = .ready
    guard entry.delivered < entry.last, !entry.isWithdrawn else {
      paths[channelURL] = nil
      return
    }
    paths[channelURL] = entry
    ready.append(channelURL)
  }

  /// A request has failed once more, and its events up to a given one are discarded.
  mutating func didFail(
    _ channelURL: String, _ now: Int64, givingUp through: Int64,
    wait: (_ failures: Int) -> Int64
  ) {
    guard var entry = paths[channelURL], case .inFlight = entry.state else { return }
    inFlightCount -= 1
    isHastening = false
    entry.delivered = max(entry.delivered, through)
    guard entry.delivered < entry.last, !entry.isWithdrawn else {
      paths[channelURL] = nil
      return
    }
    entry.failures += 1
    let time = now + wait(entry.failures)
    entry.state = .waiting(until: time)
    paths[channelURL] = entry
    let place = Return(time: time, channelURL: channelURL)
    if entry.failures >= Self.hasteFailures, !entry.wasHastened {
      returns.insert(place)
    } else {
      timedReturns.insert(place)
    }
  }

  /// Sends nothing more of some channels; requests in progress end normally.
  mutating func withdraw(where isWithdrawn: (_ channelURL: String) -> Bool) {
    let names = Set(paths.keys.filter(isWithdrawn))
    guard !names.isEmpty else { return }
    for name in names {
      if paths[name]?.isInFlight == true {
        paths[name]?.isWithdrawn = true
      } else {
        paths[name] = nil
      }
    }
    ready.removeAll { names.contains($0) }
    returns = Heap(returns.unordered.filter { !names.contains($0.channelURL) })
    timedReturns = Heap(timedReturns.unordered.filter { !names.contains($0.channelURL) })
    isHastening = isHastening && !returns.isEmpty
  }

  /// The channels with a request in progress.
  var inFlight: [String] { paths.filter(\.value.isInFlight).map(\.key) }

  /// Sends nothing before a time.
  mutating func pause(until time: Int64) { pausedUntil = max(pausedUntil, time) }

  /// The time of the next request; `nil` when no path waits.
  ///
  /// - Parameter limit: Maximum number of requests in progress.
  func nextAttempt(limit: Int) -> Int64? {
    let isReady = !ready.isEmpty && inFlightCount < limit || canHasten(limit: limit)
    let time =
      isReady ? Int64.min : [returns.min?.time, timedReturns.min?.time].compactMap(\.self).min()
    return time.map { max($0, pausedUntil) }
  }
}
