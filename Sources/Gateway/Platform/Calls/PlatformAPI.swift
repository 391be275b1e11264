import Configuration
import Crypto
import FloodControl
import HTTP1
import Logging
import ParleyProtocol
import Reactor
import Store
import Telemetry
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
    return .respondLater(onAbandonment: nil)
  }

  /// Carries out a call whose answer is owed already; its connection may be gone.
  static func send(_ request: PlatformRequest, node: Node, answering id: ConnectionID) {
    let reply = reply(to: id, of: node)
    do throws(ServiceError) { try work(for: request, on: node)(reply) } catch {
      reply(.failure(error))
    }
  }

  /// Checks the head of a call before its body is taken; counts and changes nothing.
  ///
  /// - Throws: What ``outcome(of:)`` would answer.
  func judge(_ head: HTTPRequestHead) throws(ServiceError) {
    let token = try token(of: head)
    if let wait = node.services.tokenRates.wait(for: token, at: node.loop.now) {
      throw rateLimited(wait)
    }
    let request = try PlatformRequest(HTTPRequest(head: head))
    try requireServing(request.path)
    guard Self.routes.contains(where: { $0.arguments(of: request) != nil }) else {
      throw .noSuchEndpoint(request)
    }
  }

  /// - Throws: 400401 without a token that may pass, 500910 when it was used too often.
  func admit(_ head: HTTPRequestHead) throws(ServiceError) {
    let token = try token(of: head)
    noteUse(of: token)
    if let wait = node.services.tokenRates.admit(token, at: node.loop.now) {
      throw rateLimited(wait)
    }
  }

  private func token(of head: HTTPRequestHead) throws(ServiceError) -> TokenDigest {
    let sent = head.fields["Api-Token"]
    if let token = node.services.apiTokens.admit(sent) { return token }
    node.counters.add(to: .requestsWithoutAPIToken)
    node.refuse(.apiToken, connection, ["reason": sent == nil ? "missing" : "wrong"])
    throw ServiceError(.invalidAPIToken, "the header Api-Token is missing or wrong")
  }

  private func rateLimited(_ wait: Int64) -> ServiceError {
    let rate = node.services.settings.limits.platformCalls
    return .rateLimited(
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
    throw .noSuchEndpoint(request)
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

extension ServiceError {
  fileprivate static func noSuchEndpoint(_ request: PlatformRequest) -> ServiceError {
    .noSuchEndpoint(request.method, "/v3/" + request.path.joined(separator: "/"))
  }
}
