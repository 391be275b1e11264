import HTTP1
import ParleyProtocol
import Reactor
import Transport

/// The HTTP API for back ends and operators, under `/v3`.
struct PlatformAPI {
  /// Answers a call, once, on any thread.
  typealias Reply = @Sendable (Result<[UInt8], ServiceError>) -> Void

  let node: Node
  let connection: Connection

  func outcome(of request: HTTPRequest) -> RequestOutcome {
    guard node.services.apiTokens.admit(request.head.fields["Api-Token"]) else {
      return .respond(
        HTTPResponse(
          refusing: ServiceError(.invalidAPIToken, "the header Api-Token is missing or wrong")))
    }
    do throws(ServiceError) {
      let call = try PlatformRequest(request)
      let endpoint = try endpoint(of: call)
      endpoint(reply(to: connection.id))
      return .respondLater(onAbandonment: {})
    } catch {
      return .respond(HTTPResponse(refusing: error))
    }
  }

  private func endpoint(of call: PlatformRequest) throws(ServiceError) -> (@escaping Reply) -> Void
  {
    let previews = PreviewEndpoints(previews: node.services.previews)
    switch (call.method, call.path) {
    case ("GET", ["parley", "previews", "explain"]): return try previews.explain(call)
    case ("GET", ["parley", "previews"]): return try previews.list(call)
    case ("DELETE", ["parley", "previews"]): return try previews.purge(call)
    default:
      throw .noSuchEndpoint(call.method, "/v3/" + call.path.joined(separator: "/"))
    }
  }

  /// Carries an answer back to the connection's thread; by then it may be gone.
  private func reply(to id: ConnectionID) -> Reply {
    let handle = node.handle
    return { result in
      let response =
        switch result {
        case .success(let body):
          HTTPResponse(status: .ok, fields: ["Content-Type": "application/json"], body: body)
        case .failure(let error): HTTPResponse(refusing: error)
        }
      handle.post { node in node.transport.connection(id)?.respond(response) }
    }
  }
}
