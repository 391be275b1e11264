package import ClientTransport
package import HTTP
internal import Reactor
internal import Synchronization

extension ClientRequest {
  /// Sends the request and waits for the whole response; cancelling the task aborts it.
  ///
  /// - Parameter plan: See ``ConnectionPlan/toRequest(_:)``.
  package func response(
    by plan: ConnectionPlan, on loop: ClientLoop
  ) async throws(ConnectionFailure) -> HTTPResponse {
    let flight = RequestFlight()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: RequestFlight.Waiter) in
        flight.begin(self, by: plan, on: loop, waiter)
      }
    } onCancel: {
      flight.cancel(on: loop)
    }
    return try result.get()
  }
}

/// A request in progress, and the caller that waits for its outcome.
final class RequestFlight: Sendable {
  typealias Outcome = Result<HTTPResponse, ConnectionFailure>
  typealias Waiter = CheckedContinuation<Outcome, Never>

  private struct State {
    var waiter: Waiter?
    var connection: LoopBound<ClientConnection>?
    var isCancelled = false
  }

  private let state = Mutex(State())

  func begin(
    _ request: ClientRequest, by plan: ConnectionPlan, on loop: ClientLoop, _ waiter: Waiter
  ) {
    state.withLock { $0.waiter = waiter }
    loop.post { [self] context in
      // The cancellation job may already have run: nothing would close a connection opened now.
      if state.withLock({ $0.isCancelled }) { return finish(.failure(.cancelledRequest)) }
      let exchange = RequestExchange(request, by: plan) { [self] in finish($0) }
      let connection = ClientConnection(plan, context: context, request: exchange)
      state.withLock { $0.connection = LoopBound(connection) }
      connection.start()
    }
  }

  func cancel(on loop: ClientLoop) {
    state.withLock { $0.isCancelled = true }
    finish(.failure(.cancelledRequest))
    loop.post { [self] _ in
      state.withLock { $0.connection }?.value.drop()
    }
  }

  private func finish(_ outcome: Outcome) {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: outcome)
  }
}

extension ConnectionFailure {
  fileprivate static let cancelledRequest = ConnectionFailure(.lost, "the request was cancelled")
}
