/// Decides which path may send next.
///
/// Each path has at most one request in progress, so a channel's events reach a URL in order; each URL
/// has a limited number in progress, and its paths take turns. A path that fails waits, longer each
/// time, and does not block others. Has no clock: times are any milliseconds that never go back.
package struct DeliverySchedule: Sendable {
  private var queues: [ReceiverQueue]
  /// Maximum number of requests in progress to each URL; at least 1.
  package var concurrency: Int
  private let waits: RetryWaits
  /// The URL that is checked first, which rotates so that none is preferred.
  private var firstReceiver = 0

  /// - Parameters:
  ///   - receivers: The number of URLs.
  ///   - concurrency: Maximum number of requests in progress to each URL; at least 1.
  package init(receivers: Int, concurrency: Int, waits: RetryWaits = RetryWaits()) {
    queues = Array(repeating: ReceiverQueue(), count: receivers)
    self.concurrency = max(1, concurrency)
    self.waits = waits
  }

  /// Adds the events waiting when the server starts.
  package mutating func add(_ path: DeliveryPath, after: Int64, through: Int64) {
    queues[path.receiver].add(path.channelURL, after: after, through: through)
  }

  /// Adds a new event, which is for all URLs.
  package mutating func didQueue(_ channelURL: String, eventID: Int64) {
    for index in queues.indices {
      queues[index].add(channelURL, after: eventID - 1, through: eventID)
    }
  }

  /// The next path that may send, which then has a request in progress until its outcome is reported.
  package mutating func next(at now: Int64) -> Turn? {
    for offset in queues.indices {
      let index = (firstReceiver + offset) % queues.count
      guard let (url, entry) = queues[index].next(now, limit: concurrency) else { continue }
      firstReceiver = (index + 1) % queues.count
      return Turn(
        path: DeliveryPath(receiver: index, channelURL: url), after: entry.delivered,
        through: entry.last,
        failures: entry.failures)
    }
    return nil
  }

  /// A path's request has ended, and all events up to one were received, which is yet to be recorded.
  ///
  /// ``didDeliver(_:through:)`` follows. Until then nothing is sent that a crash would cause to repeat.
  package mutating func didTake(_ path: DeliveryPath, through eventID: Int64) {
    queues[path.receiver].didTake(path.channelURL, through: eventID)
  }

  /// A path's turn has ended: all events up to one are delivered, or need not be.
  package mutating func didDeliver(_ path: DeliveryPath, through eventID: Int64) {
    queues[path.receiver].didDeliver(path.channelURL, through: eventID)
  }

  /// A path's turn has ended, and nothing was delivered.
  ///
  /// - Parameters:
  ///   - asked: The pause requested by the receiver, in milliseconds, which applies to all of its paths.
  ///   - random: Any number; spreads deliveries that failed together.
  package mutating func didFail(
    _ path: DeliveryPath, at now: Int64, asked: Int64? = nil, random: UInt64
  ) {
    didGiveUp(path, through: .min, at: now, asked: asked, random: random)
  }

  /// A path's turn has ended: nothing was delivered, and the events up to one no longer need to be.
  ///
  /// Later events wait as after any failure.
  package mutating func didGiveUp(
    _ path: DeliveryPath, through eventID: Int64, at now: Int64, asked: Int64? = nil, random: UInt64
  ) {
    queues[path.receiver].didFail(path.channelURL, now, givingUp: eventID) {
      waits.wait(after: $0, asked: asked, random: random)
    }
    if let asked {
      queues[path.receiver].pause(until: now + min(asked, waits.longestAsked))
    }
  }

  /// A URL received something other than events: its waiting paths are tried soon, a few at a time.
  ///
  /// Received events have the same effect.
  package mutating func didRecover(receiver: Int) { queues[receiver].hasten() }

  /// Tries all waiting paths soon, a few at a time for each URL, until one fails.
  package mutating func retry() {
    for index in queues.indices { queues[index].retry() }
  }

  /// Sends nothing more of some channels; requests in progress end normally.
  package mutating func withdraw(where isWithdrawn: (_ channelURL: String) -> Bool) {
    for index in queues.indices { queues[index].withdraw(where: isWithdrawn) }
  }

  /// The paths with a request in progress.
  package var inFlight: [DeliveryPath] {
    queues.indices.flatMap { index in
      queues[index].inFlight.map { DeliveryPath(receiver: index, channelURL: $0) }
    }
  }

  /// The time of the next request to a URL; `Int64.min` means now, `nil` never.
  package func nextAttempt(receiver: Int) -> Int64? {
    queues[receiver].nextAttempt(limit: concurrency)
  }

  /// The time of the next request; `nil` when no path waits for a time.
  package var nextAttempt: Int64? {
    queues.indices.compactMap { nextAttempt(receiver: $0) }.min()
  }

  /// The number of paths that have events to send.
  package var pathCount: Int { queues.reduce(0) { $0 + $1.pathCount } }
}
