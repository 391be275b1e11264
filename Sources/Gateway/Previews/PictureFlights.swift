import Basics
import LinkPreview
import Unfurler

/// A picture that somebody wants a copy of.
struct PictureOrder: Sendable {
  let name: PictureName
  let url: WebURL
  let requester: PreviewRequester
  /// The time after which it is given up.
  let deadline: ContinuousClock.Instant
}

/// The pictures that are under way: each once, however many ask for it, and requesters in turns.
///
/// A picture that several ask for waits in the line of each, so that nobody's waits behind the other
/// pictures of somebody else.
struct PictureFlights<Waiter> {
  typealias Admission = FairQueue<PreviewRequester, PictureOrder>.Admission

  private struct Flight {
    var waiters: [Waiter]
    /// The lines in which it waits.
    var lines: Set<PreviewRequester>
    var isActive = false
  }

  private let activeLimit: Int
  private var queue: FairQueue<PreviewRequester, PictureOrder>
  private var flights: [PictureName: Flight] = [:]

  /// - Parameters:
  ///   - active: The largest number of pictures that are made at a time.
  ///   - activePerRequester: The largest number of those for one requester.
  ///   - waiting: The largest number of orders that wait.
  ///   - waitingPerRequester: The largest number of those of one requester.
  init(active: Int, activePerRequester: Int, waiting: Int, waitingPerRequester: Int) {
    activeLimit = active
    queue = FairQueue(
      capacity: .init(
        total: waiting, perPrincipal: waitingPerRequester, runningPerPrincipal: activePerRequester))
  }

  /// Adds an order with a waiter, which its end gives back.
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

  /// The next order that may begin; ``finish(_:after:)`` must follow.
  ///
  /// - Returns: One whose time is over only if nobody else's line has the picture.
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

  /// Ends what was started.
  ///
  /// - Parameter duration: The nanoseconds that it took.
  /// - Returns: All who wait for it.
  mutating func finish(_ order: PictureOrder, after duration: UInt64) -> [Waiter] {
    queue.finish(order.requester, after: duration)
    return flights.removeValue(forKey: order.name)?.waiters ?? []
  }
}
