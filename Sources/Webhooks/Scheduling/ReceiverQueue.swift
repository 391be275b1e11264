import DequeModule
import HeapModule

/// The paths of one URL that have something to send.
struct ReceiverQueue {
  enum PathState {
    /// It waits for its turn.
    case ready
    case inFlight
    /// Its events were taken, and that is being noted.
    case taken
    /// It failed and waits for a time.
    case waiting(until: Int64)
  }

  struct PathEntry {
    /// The last event that the receiver has taken.
    var delivered: Int64
    var last: Int64
    var state = PathState.ready
    var failures = 0
    /// It was tried before its time, and has failed again since.
    var wasHastened = false
    /// Its request is under way, and nothing comes after it.
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
  /// Waiting paths that are tried before their time once the receiver takes events.
  private var returns: Heap<Return> = []
  /// Waiting paths that are tried at their time only.
  private var timedReturns: Heap<Return> = []
  /// Whether waiting paths are tried before their time.
  private var isHastening = false
  private var inFlightCount = 0
  /// The receiver asked for no request before this time.
  private var pausedUntil = Int64.min

  /// The number of requests under way beyond which no path is tried before its time.
  private static let hasteLimit = 4
  /// The failures from which on the wait of a path is long enough to be cut short.
  private static let hasteFailures = 2

  /// Paths with something to send, and those whose request is under way.
  var pathCount: Int { paths.count }

  /// Adds events up to `last`; those up to `after` count as delivered in a path that has
  /// nothing to send.
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

  /// The next path whose turn it is, with fewer than `limit` under way.
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

  /// A request has ended, and the receiver has all up to `through`; nothing more is sent until that is
  /// noted.
  mutating func didTake(_ channelURL: String, through: Int64) {
    guard let entry = paths[channelURL], entry.isInFlight else { return }
    inFlightCount -= 1
    paths[channelURL]?.delivered = max(entry.delivered, through)
    paths[channelURL]?.state = .taken
    hasten()
  }

  /// Tries the paths that wait for a time one after the other, a few at once, until one fails.
  ///
  /// A path that fails although the receiver takes others would be tried for each of them: it is
  /// hastened once between two tries at its time.
  mutating func hasten() { isHastening = !returns.isEmpty }

  /// Hastens all paths that wait, whatever the receiver has asked for.
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

  /// The receiver has all up to `through`, and that is noted if it needs to be.
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

  /// A request has failed once more, and what it held up to an event is given up.
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

  /// Sends nothing more of some channels; requests under way end as they do.
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

  /// The channels with a request under way.
  var inFlight: [String] { paths.filter(\.value.isInFlight).map(\.key) }

  /// Sends nothing before a time.
  mutating func pause(until time: Int64) { pausedUntil = max(pausedUntil, time) }

  /// The time of the next request; `nil` when nothing waits.
  ///
  /// - Parameter limit: Requests that may be under way.
  func nextAttempt(limit: Int) -> Int64? {
    let isReady = !ready.isEmpty && inFlightCount < limit || canHasten(limit: limit)
    let time =
      isReady ? Int64.min : [returns.min?.time, timedReturns.min?.time].compactMap(\.self).min()
    return time.map { max($0, pausedUntil) }
  }
}
