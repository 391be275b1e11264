/// The seam between the portable client and its platform: a thread or queue that runs sessions, one
/// job at a time, and makes their connections and requests.
///
/// `ClientSockets` implements it on Linux's epoll and OpenSSL, `ClientFoundation` on `URLSession`.
package protocol Lane: Sendable {
  /// Runs a job after the jobs submitted before it.
  func run(_ job: @escaping @Sendable (any LaneContext) -> Void)

  /// Sends a request and waits for the whole response; cancelling the task aborts it.
  ///
  /// Redirects are not followed.
  ///
  /// - Parameter plan: See ``ConnectionPlan/toRequest(_:)``.
  func response(
    to request: ClientRequest, by plan: ConnectionPlan
  ) async throws(ConnectionFailure) -> ClientResponse
}

/// The clock, timers, connections and members of a lane, for the jobs that it runs.
package protocol LaneContext: AnyObject {
  /// Milliseconds of a monotonic clock.
  var now: Int64 { get }
  /// The members of this lane, by the identity of their owners.
  var members: [ObjectIdentifier: any LaneMember] { get set }

  /// Starts to connect.
  ///
  /// The owner is notified of the outcome later, never before this method returns.
  ///
  /// - Parameter owner: Held weakly.
  func connect(
    by plan: ConnectionPlan, owner: any ServerConnectionOwner
  ) -> any ServerConnection

  /// Sends a request, whose response is received in parts, on the lane.
  ///
  /// The first part arrives after this method has returned, and none after the end or after the
  /// request was cancelled. Redirects are not followed.
  ///
  /// - Parameter plan: See ``ConnectionPlan/toRequest(_:)``.
  /// - Returns: The request, which need not be kept.
  func request(
    _ request: ClientRequest, by plan: ConnectionPlan,
    _ receive: @escaping (ResponsePart) -> Void
  ) -> any LaneRequest

  /// Runs a closure on the lane once, after a number of milliseconds or a little later.
  ///
  /// - Returns: The timer, which need not be kept.
  func timer(after milliseconds: Int64, _ fire: @escaping () -> Void) -> any LaneTimer
}

/// An object that lives on a lane until both are released.
package protocol LaneMember: AnyObject {
  /// The lane ends: pending results will not arrive.
  func abandon()
}

/// A request whose response may be incomplete.
package protocol LaneRequest: AnyObject {
  /// Ends the request; without effect after the end of the response.
  func cancel()
}

/// A timer that was not yet due when it was set.
package protocol LaneTimer: AnyObject {
  /// Stops the timer; without effect if it has fired.
  func cancel()
}

/// A value confined to a lane, carried to it by a closure that any thread may hold.
package struct LaneBound<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
