import Configuration
import FloodControl
import HTTP1
import ParleyProtocol
import Reactor
import Store
import Tokens
import Transport

/// The HTTP API for back ends and operators, under `/v3`.
struct PlatformAPI {
  let node: Node
  let connection: Connection

  func outcome(of request: HTTPRequest) -> RequestOutcome {
    do throws(ServiceError) {
      try admit(request.head)
      let request = try PlatformRequest(request)
      try requireServing(request.path)
      return try perform(request)
    } catch {
      return .respond(HTTPResponse(refusing: error))
    }
  }

  /// Carries out a call that was admitted.
  func perform(_ request: PlatformRequest) throws(ServiceError) -> RequestOutcome {
    let work = try work(for: request)
    work(Self.reply(to: connection.id, of: node))
    return .respondLater(onAbandonment: {})
  }

  /// Carries out a call whose answer is owed already; its connection may be gone.
  static func send(_ request: PlatformRequest, node: Node, answering id: ConnectionID) {
    let reply = reply(to: id, of: node)
    do throws(ServiceError) { try work(for: request, on: node)(reply) } catch {
      reply(.failure(error))
    }
  }

  /// - Throws: 400401 without a token that may pass, 500910 when it was used too often.
  func admit(_ head: HTTPRequestHead) throws(ServiceError) {
    guard let token = node.services.apiTokens.admit(head.fields["Api-Token"]) else {
      throw ServiceError(.invalidAPIToken, "the header Api-Token is missing or wrong")
    }
    noteUse(of: token)
    let rate = node.services.settings.limits.platformCalls
    guard let wait = node.services.tokenRates.admit(token, at: node.loop.now) else { return }
    throw .rateLimited(
      retryAfter: wait, limit: rate.callsPerSecond, window: 1000, scope: "api_token")
  }

  private func noteUse(of token: TokenDigest) {
    let services = node.services
    let now = services.clock.now
    guard services.apiTokens.issued.isDue(token, at: now) else { return }
    // A use that can't be written down is no reason to refuse the call.
    services.store.write {
      try $0.noteAPITokenUsed(hash: token.bytes, at: now)
    } completion: { _ in
    }
  }

  /// - Throws: 400501 while the gateway drains, for all that does not tell of that or ask for it.
  func requireServing(_ path: [String]) throws(ServiceError) {
    guard node.services.stage == .draining else { return }
    guard Self.pathsWhileDraining.contains(path) else { throw .draining }
  }

  private static let pathsWhileDraining = [["parley", "status"], ["parley", "drain"]]

  private func work(for request: PlatformRequest) throws(ServiceError) -> PlatformCall.Work {
    try Self.work(for: request, on: node)
  }

  private static func work(
    for request: PlatformRequest, on node: Node
  ) throws(ServiceError) -> PlatformCall.Work {
    for route in routes {
      guard let arguments = route.arguments(of: request) else { continue }
      let call = PlatformCall(node: node, request: request, arguments: arguments)
      return try route.endpoint(call)()
    }
    throw .noSuchEndpoint(request.method, "/v3/" + request.path.joined(separator: "/"))
  }

  /// Carries an answer back to the connection's thread; by then it may be gone.
  private static func reply(to id: ConnectionID, of node: Node) -> PlatformCall.Reply {
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
