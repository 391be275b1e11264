internal import ClientTransport
internal import Foundation
#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// One HTTP request and the caller that waits for its response; confined to its lane.
final class RequestFlight {
  typealias Outcome = Result<ClientResponse, ConnectionFailure>

  /// The largest body of a response: the server's are a few hundred bytes.
  private static let bodyLimit = 1_048_576

  private let request: ClientRequest
  private let plan: ConnectionPlan
  private var waiter: CheckedContinuation<Outcome, Never>?
  private var task: URLSessionTask?
  private var timer: (any LaneTimer)?
  private var body: [UInt8] = []
  private var isCancelled = false

  init(_ request: ClientRequest, _ plan: ConnectionPlan) {
    self.request = request
    self.plan = plan
  }

  func begin(in context: FoundationContext, _ waiter: CheckedContinuation<Outcome, Never>) {
    self.waiter = waiter
    guard !isCancelled else { return finish(.failure(.cancelledRequest)) }
    do throws(ConnectionFailure) {
      let session = try context.session(for: plan)
      task = session.startRequest(try foundationRequest(), for: self)
    } catch {
      return finish(.failure(error))
    }
    // `URLRequest.timeoutInterval` restarts with every byte, so it bounds no whole request.
    timer = context.timer(after: plan.attemptTimeout + request.timeout.timeout) { [weak self] in
      self?.fail(ConnectionFailure(.temporary, "the request took too long"))
    }
  }

  func cancel() {
    isCancelled = true
    fail(.cancelledRequest)
  }

  func didReceive(_ data: Data) {
    body += data
    guard body.count > Self.bodyLimit else { return }
    fail(
      ConnectionFailure(.lasting, "the server's answer is larger than \(Self.bodyLimit) bytes"))
  }

  func didComplete(_ response: HTTPURLResponse?, _ error: (any Error)?) {
    guard error == nil, let response else {
      return finish(.failure(ConnectionFailure(ofRequest: error)))
    }
    finish(
      .success(
        ClientResponse(
          status: response.statusCode, fields: response.clientFields, body: body)))
  }

  private func foundationRequest() throws(ConnectionFailure) -> URLRequest {
    var result = try URLRequest(plan, scheme: .http)
    result.httpMethod = request.method
    for (name, value) in request.fields { result.setValue(value, forHTTPHeaderField: name) }
    if !request.body.isEmpty { result.httpBody = Data(request.body) }
    return result
  }

  private func fail(_ failure: ConnectionFailure) {
    task?.cancel()
    finish(.failure(failure))
  }

  private func finish(_ outcome: Outcome) {
    timer?.cancel()
    timer = nil
    task = nil
    waiter?.resume(returning: outcome)
    waiter = nil
  }
}

extension ConnectionFailure {
  fileprivate static let cancelledRequest = ConnectionFailure(.lost, "the request was cancelled")

  /// A request that got no response.
  fileprivate init(ofRequest error: (any Error)?) {
    guard let error else {
      self.init(.lasting, "the server's answer is no HTTP")
      return
    }
    self.init(opening: error)
  }
}

extension HTTPURLResponse {
  /// The header fields; several of one name are one, joined by commas.
  var clientFields: [ClientResponse.Field] {
    allHeaderFields.compactMap { name, value in
      guard let name = name as? String, let value = value as? String else { return nil }
      return ClientResponse.Field(name, value)
    }
  }
}
