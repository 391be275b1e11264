import Basics
import LinkPreview
import Unfurler

/// A request for the copy of a picture.
struct PictureOrder: Sendable {
  let name: PictureName
  let url: WebURL
  let requester: PreviewRequester
  /// The time after which the request is abandoned.
  let deadline: ContinuousClock.Instant
}

/// The pictures in progress: each is made once for all its waiters, and requesters take turns.
///
/// A picture with several requesters waits in the queue of each of them, so that no requester waits for
/// the other pictures of another.
struct PictureFlights<Waiter> {
  typealias Admission = FairQueue<PreviewRequester, PictureOrder>.Admission

  private struct Flight {
    var waiters: [Waiter]
    /// The requesters in whose queues the picture waits.
    var lines: Set<PreviewRequester>
    var isActive = false
  }

  private let activeLimit: Int
  private var queue: FairQueue<PreviewRequester, PictureOrder>
  private var flights: [PictureName: Flight] = [:]

  /// - Parameters:
  ///   - active: The largest number of pictures that are made at the same time.
  ///   - activePerRequester: The largest number of those for one requester.
  ///   - waiting: The largest number of waiting orders.
  ///   - waitingPerRequester: The largest number of waiting orders of one requester.
  init(active: Int, activePerRequester: Int, waiting: Int, waitingPerRequester: Int) {
    activeLimit = active
    queue = FairQueue(
      capacity: .init(
        total: waiting, perPrincipal: waitingPerRequester, runningPerPrincipal: activePerRequester))
  }

  /// Adds an order with a waiter, which ``finish(_:after:)`` returns.
  mutating func add(_ order: PictureOrder, _ waiter: Waiter) -> Admission {
    guard var flight = flights[order.name] else {
      let admission = queue.submit(order, for: order.requester)
      if admission == .accepted {
        flights[order.name] = Flight(waiters: [waiter], lines: [order.requester])
      }
      return admission
    }
    flight.waiters.append(waiter)
    if !flight.isActive, !flight.lines.contains(order.requester),
      queue.submit(order, for: order.requester) == .accepted
    {
      flight.lines.insert(order.requester)
    }
    flights[order.name] = flight
    return .accepted
  }

  /// Returns the next order to start.
  ///
  /// ``finish(_:after:)`` must follow.
  ///
  /// - Returns: An order past its deadline only if the picture is in no other requester's queue.
  mutating func start(at now: ContinuousClock.Instant) -> PictureOrder? {
    while queue.runningCount < activeLimit, let (requester, order) = queue.take() {
      if var flight = flights[order.name], !flight.isActive {
        flight.lines.remove(requester)
        flight.isActive = order.deadline > now || flight.lines.isEmpty
        flights[order.name] = flight
        if flight.isActive { return order }
      }
      queue.finish(requester, after: 0)
    }
    return nil
  }

  /// Finishes an order that was started.
  ///
  /// - Parameter duration: The duration in nanoseconds.
  /// - Returns: All waiters of the picture.
  mutating func finish(_ order: PictureOrder, after duration: UInt64) -> [Waiter] {
    queue.finish(order.requester, after: duration)
    return flights.removeValue(forKey: order.name)?.waiters ?? []
  }
}
