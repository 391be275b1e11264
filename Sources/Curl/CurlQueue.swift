/// A request in a ``CurlQueue`` that waits for its turn.
package protocol CurlQueueRequest {
  /// The id, unique in its queue.
  var id: UInt64 { get }
  /// The deadline for the request's turn; after it the request is abandoned.
  var deadline: ContinuousClock.Instant { get }
}

/// Selects the next of the waiting requests, and limits their number.
package protocol CurlQueueTurns {
  associatedtype Request: CurlQueueRequest

  /// The number of waiting requests.
  var waitingCount: Int { get }

  /// Returns whether another request may wait.
  func admits(_ request: Request) -> Bool

  mutating func append(_ request: Request)

  /// Removes the next request that may start; it counts as active until ``finish(_:)``.
  mutating func start() -> Request?

  /// Releases the place of a started request.
  mutating func finish(_ request: Request)

  /// Removes the waiting request with an id.
  mutating func removeWaiting(_ id: UInt64) -> Request?

  /// Removes all waiting requests that satisfy a condition, in the order of their ids.
  mutating func removeWaiting(where isEnded: (Request) -> Bool) -> [Request]
}

/// A transfer that performs a request of a ``CurlQueue``.
package protocol CurlQueueTransfer: CurlTransfer {
  associatedtype Request: CurlQueueRequest

  /// The request at the time of its turn.
  var request: Request { get }
}

/// The waiting requests, and the transfers of the started ones.
///
/// Bounded by its turns. Its owner answers the requests that it returns, each of them once:
/// started, expired, cancelled or stopped. Confined to its loop's thread.
package struct CurlQueue<Turns: CurlQueueTurns, Transfer: CurlQueueTransfer>
where Transfer.Request == Turns.Request {
  package typealias Request = Turns.Request

  /// A cancelled request.
  package enum Cancelled {
    /// The request was still waiting.
    case waiting(Request)
    /// The request's transfer was aborted.
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

  /// The number of waiting requests.
  package var waitingCount: Int { turns.waitingCount }

  /// The time of the next check of the queue; `nil` if nothing waits.
  package var wakeUp: ContinuousClock.Instant? { turns.waitingCount > 0 ? nextSweep : nil }

  /// Returns whether another request may wait.
  package func admits(_ request: Request) -> Bool { turns.admits(request) }

  /// Queues a request, even beyond the limit: a request that continues is not rejected.
  package mutating func append(_ request: Request) { turns.append(request) }

  /// Removes the next request whose turn has come; call ``begin(_:)`` or ``giveUp(_:)`` with it.
  package mutating func next() -> Request? { turns.start() }

  /// Starts the transfer of a request that ``next()`` has returned.
  ///
  /// - Returns: `false` if libcurl did not accept it; then the request has released its place.
  package mutating func begin(_ transfer: Transfer) -> Bool {
    guard loop.add(transfer) else {
      turns.finish(transfer.request)
      return false
    }
    active[transfer.request.id] = transfer
    return true
  }

  /// Releases the place of a request that ``next()`` has returned and that does not start.
  package mutating func giveUp(_ request: Request) { turns.finish(request) }

  /// Releases the place of a transfer that ended by itself.
  package mutating func end(_ transfer: Transfer) {
    active[transfer.request.id] = nil
    turns.finish(transfer.request)
  }

  /// Cancels a request; `nil` if there is none with this id.
  package mutating func cancel(_ id: UInt64) -> Cancelled? {
    guard let transfer = active[id] else { return turns.removeWaiting(id).map { .waiting($0) } }
    loop.remove(transfer)
    end(transfer)
    return .active(transfer)
  }

  /// Removes the waiting requests whose deadline has passed; checks at most every 100 ms.
  package mutating func removeExpired(at now: ContinuousClock.Instant) -> [Request] {
    guard turns.waitingCount > 0, now >= nextSweep else { return [] }
    nextSweep = now.advanced(by: Self.sweepInterval)
    return turns.removeWaiting { $0.deadline <= now }
  }

  /// Removes all waiting requests.
  package mutating func removeWaiting() -> [Request] { turns.removeWaiting { _ in true } }

  /// Cancels all requests.
  package mutating func removeAll() -> [Cancelled] {
    let begun = active.keys.sorted().compactMap { cancel($0) }
    return begun + removeWaiting().map { .waiting($0) }
  }
}
