/// A request that a ``CurlQueue`` holds until its turn comes.
package protocol CurlQueueRequest {
  /// Unique in its queue.
  var id: UInt64 { get }
  /// The request is given up when its turn has not come by then.
  var deadline: ContinuousClock.Instant { get }
}

/// Decides which of the waiting requests begins next, and how many wait.
package protocol CurlQueueTurns {
  associatedtype Request: CurlQueueRequest

  /// The number of requests that wait.
  var waitingCount: Int { get }

  /// Whether there is room for another request to wait.
  func admits(_ request: Request) -> Bool

  mutating func append(_ request: Request)

  /// Takes the next request that may begin; it counts as active until ``finish(_:)``.
  mutating func start() -> Request?

  /// Gives the place of a request back that was started.
  mutating func finish(_ request: Request)

  /// Takes out the waiting request of this number.
  mutating func removeWaiting(_ id: UInt64) -> Request?

  /// Takes out all waiting requests that fulfil a condition, in the order of their numbers.
  mutating func removeWaiting(where isEnded: (Request) -> Bool) -> [Request]
}

/// A transfer that carries out a request of a ``CurlQueue``.
package protocol CurlQueueTransfer: CurlTransfer {
  associatedtype Request: CurlQueueRequest

  /// The request as its turn came.
  var request: Request { get }
}

/// Requests that wait for their turn, and the transfers of those that have begun.
///
/// Bounded by its turns. Its owner answers the requests that it gives back, each of which is given
/// back once: begun, expired, cancelled or stopped. Confined to its loop's thread.
package struct CurlQueue<Turns: CurlQueueTurns, Transfer: CurlQueueTransfer>
where Transfer.Request == Turns.Request {
  package typealias Request = Turns.Request

  /// A request that was called off.
  package enum Cancelled {
    /// It was still waiting.
    case waiting(Request)
    /// Its transfer was broken off.
    case active(Transfer)

    package var request: Request {
      switch self {
      case .waiting(let request): request
      case .active(let transfer): transfer.request
      }
    }
  }

  private let loop: CurlLoop<Transfer>
  private var turns: Turns
  private var active: [UInt64: Transfer] = [:]
  private var nextSweep = ContinuousClock.now

  /// The interval between checks of the deadlines of waiting requests.
  private static var sweepInterval: Duration { .milliseconds(100) }

  package init(_ loop: CurlLoop<Transfer>, turns: Turns) {
    self.loop = loop
    self.turns = turns
  }

  /// The number of requests that wait for their turn.
  package var waitingCount: Int { turns.waitingCount }

  /// The time by which the queue is to be looked at again; `nil` when nothing waits.
  package var wakeUp: ContinuousClock.Instant? { turns.waitingCount > 0 ? nextSweep : nil }

  /// Whether there is room for another request to wait.
  package func admits(_ request: Request) -> Bool { turns.admits(request) }

  /// Lets a request wait for its turn, with room or without: one that goes on is not turned away.
  package mutating func append(_ request: Request) { turns.append(request) }

  /// Takes the next request whose turn has come: ``begin(_:)`` or ``giveUp(_:)`` is to follow.
  package mutating func next() -> Request? { turns.start() }

  /// Begins the transfer of a request that ``next()`` has returned.
  ///
  /// - Returns: `false` when libcurl did not take it; the request has given its place back.
  package mutating func begin(_ transfer: Transfer) -> Bool {
    guard loop.add(transfer) else {
      turns.finish(transfer.request)
      return false
    }
    active[transfer.request.id] = transfer
    return true
  }

  /// Gives back the place of a request that ``next()`` has returned and that does not begin.
  package mutating func giveUp(_ request: Request) { turns.finish(request) }

  /// Gives back the place of a transfer that has ended by itself.
  package mutating func end(_ transfer: Transfer) {
    active[transfer.request.id] = nil
    turns.finish(transfer.request)
  }

  /// Calls a request off; `nil` when there is none with this number.
  package mutating func cancel(_ id: UInt64) -> Cancelled? {
    guard let transfer = active[id] else { return turns.removeWaiting(id).map { .waiting($0) } }
    loop.remove(transfer)
    end(transfer)
    return .active(transfer)
  }

  /// Takes out the waiting requests whose deadline has passed; looks at most every 100 ms.
  package mutating func removeExpired(at now: ContinuousClock.Instant) -> [Request] {
    guard turns.waitingCount > 0, now >= nextSweep else { return [] }
    nextSweep = now.advanced(by: Self.sweepInterval)
    return turns.removeWaiting { $0.deadline <= now }
  }

  /// Takes out all waiting requests.
  package mutating func removeWaiting() -> [Request] { turns.removeWaiting { _ in true } }

  /// Calls all requests off.
  package mutating func removeAll() -> [Cancelled] {
    let begun = active.keys.sorted().compactMap { cancel($0) }
    return begun + removeWaiting().map { .waiting($0) }
  }
}
