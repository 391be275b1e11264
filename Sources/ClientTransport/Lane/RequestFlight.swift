extension Lane {
  package func response(
    to request: ClientRequest, by plan: ConnectionPlan
  ) async throws(ConnectionFailure) -> ClientResponse {
    let flight = RequestFlight()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: RequestFlight.Waiter) in
        flight.begin(request, by: plan, on: self, waiter)
      }
    } onCancel: {
      flight.cancel(on: self)
    }
    return try result.get()
  }
}

/// A request in progress, and the caller that waits for the whole response.
final class RequestFlight: Sendable {
  typealias Outcome = Result<ClientResponse, ConnectionFailure>
  typealias Waiter = CheckedContinuation<Outcome, Never>

  private struct State {
    var waiter: Waiter?
    var request: LaneBound<any LaneRequest>?
    var isCancelled = false
  }

  private let state = Locked(State())

  func begin(
    _ request: ClientRequest, by plan: ConnectionPlan, on lane: some Lane, _ waiter: Waiter
  ) {
    state.withLock { $0.waiter = waiter }
    lane.run { [self] context in
      // The cancellation job may already have run: nothing would end a request sent now.
      if state.withLock({ $0.isCancelled }) { return finish(.failure(.cancelledRequest)) }
      var response = WholeResponse()
      let request = context.request(request, by: plan) { [self] part in
        if let outcome = response.take(part) { finish(outcome) }
      }
      let bound = LaneBound(request)
      state.withLock { $0.request = bound }
    }
  }

  func cancel(on lane: some Lane) {
    state.withLock { $0.isCancelled = true }
    lane.run { [self] _ in finish(.failure(.cancelledRequest)) }
  }

  /// Passes on the first outcome, and ends the request; on the lane.
  private func finish(_ outcome: Outcome) {
    let (waiter, request) = state.withLock { state in
      defer { (state.waiter, state.request) = (nil, nil) }
      return (state.waiter, state.request)
    }
    request?.value.cancel()
    waiter?.resume(returning: outcome)
  }
}

extension ConnectionFailure {
  fileprivate static let cancelledRequest = ConnectionFailure(.lost, "the request was cancelled")
}
