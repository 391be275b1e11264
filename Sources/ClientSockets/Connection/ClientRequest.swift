package import HTTP
internal import Reactor
internal import Synchronization

/// One request on its own connection, and the response.
struct RequestExchange {
  let bytes: [UInt8]
  /// Milliseconds from the first byte of the request to the last byte of the response.
  let timeout: Int64
  let complete: (Result<HTTPResponse, ConnectionFailure>) -> Void
  private var parser: HTTPResponseParser

  /// - Parameter plan: The connection to the server, with the request target.
  init(
    _ request: ClientRequest, by plan: ConnectionPlan,
    completion: @escaping (Result<HTTPResponse, ConnectionFailure>) -> Void
  ) {
    var head = HTTPRequestHead(method: request.method, target: plan.server.target)
    head.fields.append("Host", plan.server.hostField)
    head.fields.append("Connection", "close")
    for field in plan.fields { head.fields.append(field.name, field.value) }
    for (name, value) in request.fields { head.fields.append(name, value) }
    var bytes: [UInt8] = []
    HTTPRequest(head: head, body: request.body).serialize(into: &bytes)
    self.bytes = bytes
    timeout = request.timeout.timeout
    complete = completion
    parser = HTTPResponseParser(answering: request.method == "HEAD" ? .head : .other)
  }

  /// Parses bytes up to the end of the response.
  mutating func receive(_ input: Span<UInt8>) throws(ConnectionFailure) -> HTTPResponse? {
    do throws(HTTPError) {
      return try parser.receive(input).response
    } catch {
      throw ConnectionFailure(.lasting, "the server's answer is no HTTP: \(error.message)")
    }
  }

  /// Handles a connection that ended before the response.
  mutating func receiveEnd(because reason: String) -> ConnectionFailure {
    ConnectionFailure(.temporary, "within a request: \(reason)")
  }
}

/// An HTTP request, sent through the same proxies and with the same trust as a WebSocket.
package struct ClientRequest: Sendable {
  package var method: String
  /// The header fields; names are tokens.
  package var fields: [(name: String, value: String)] = []
  package var body: [UInt8] = []
  /// The time limit after the server is reached.
  package var timeout: Duration = .seconds(60)

  package init(_ method: String) {
    self.method = method
  }

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
