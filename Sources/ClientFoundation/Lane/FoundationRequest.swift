internal import ClientTransport
internal import Foundation
#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// One HTTP request, whose response is received in parts; confined to its lane.
final class FoundationRequest: LaneRequest {
  private let request: ClientRequest
  private let plan: ConnectionPlan
  private var receive: ((ResponsePart) -> Void)?
  private var task: URLSessionTask?
  private var timer: (any LaneTimer)?
  private var hasHead = false

  init(
    _ request: ClientRequest, _ plan: ConnectionPlan, _ receive: @escaping (ResponsePart) -> Void
  ) {
    self.request = request
    self.plan = plan
    self.receive = receive
  }

  func start(in context: FoundationContext) {
    do throws(ConnectionFailure) {
      let session = try context.session(for: plan)
      task = session.startRequest(try foundationRequest(), for: self)
    } catch {
      return context.later { [self] in fail(error) }
    }
    // `URLRequest.timeoutInterval` restarts with every byte, so it bounds no whole request.
    timer = context.timer(after: plan.attemptTimeout + request.timeout.timeout) { [weak self] in
      self?.fail(ConnectionFailure(.temporary, "the request took too long"))
    }
  }

  func cancel() {
    receive = nil
    timer?.cancel()
    timer = nil
    task?.cancel()
    task = nil
  }

  func didReceive(_ data: Data, _ response: HTTPURLResponse?) {
    deliverHead(response)
    receive?(.body(Array(data)))
  }

  func didComplete(_ response: HTTPURLResponse?, _ error: (any Error)?) {
    guard error == nil, response != nil else { return fail(ConnectionFailure(ofRequest: error)) }
    deliverHead(response)
    finish(.end)
  }

  private func deliverHead(_ response: HTTPURLResponse?) {
    guard !hasHead, let response else { return }
    hasHead = true
    receive?(
      .head(ClientResponse(status: response.statusCode, fields: response.clientFields)))
  }

  private func foundationRequest() throws(ConnectionFailure) -> URLRequest {
    var result = try URLRequest(plan, scheme: .http)
    result.httpMethod = request.method
    for (name, value) in request.fields { result.setValue(value, forHTTPHeaderField: name) }
    if !request.body.isEmpty { result.httpBody = Data(request.body) }
    return result
  }

  private func fail(_ failure: ConnectionFailure) {
    finish(.failed(failure))
  }

  private func finish(_ part: ResponsePart) {
    let receive = receive
    cancel()
    receive?(part)
  }
}

extension ConnectionFailure {
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
  fileprivate var clientFields: [ClientResponse.Field] {
    allHeaderFields.compactMap { name, value in
      guard let name = name as? String, let value = value as? String else { return nil }
      return ClientResponse.Field(name, value)
    }
  }
}
