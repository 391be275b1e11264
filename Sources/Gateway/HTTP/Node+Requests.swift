import Configuration
import HTTP1
import Logging
import ParleyProtocol
import Reactor
import Telemetry
import Transport
import WebSocket

extension Node: TransportDelegate {
  func connection(_ connection: Connection, received request: HTTPRequest) -> RequestOutcome {
    if request.head.path == "/v1/ws" { return upgrade(connection, request.head) }
    if FileDownload.isMeant(by: request.head) {
      return FileDownload(node: self, connection: connection).outcome(of: request.head)
    }
    let isDescription = InterfaceDescription(rawValue: request.head.path) != nil
    if !isDescription, PlatformRequest.isMeant(by: request.head) {
      return PlatformAPI(node: self, connection: connection).outcome(of: request)
    }
    return .respond(Routes(node: self, connection: connection).respond(to: request.head))
  }

  func connection(
    _ connection: Connection, decidesOnBodyOf head: HTTPRequestHead
  ) -> BodyDecision {
    UploadAdmission(node: self, connection: connection).decision(on: head)
  }

  func connection(_ connection: Connection, refusalOf error: HTTPError) -> HTTPResponse {
    let isTooLong = [413, 414, 431].contains(error.status.code)
    var response = HTTPResponse(
      refusing: ServiceError(isTooLong ? .tooLong : .invalidValue, error.message))
    response.status = error.status
    return response
  }

  func transportCannotAccept(_ error: SystemError) {
    services.logger.warning(
      "connections can't be accepted for the moment", metadata: ["reason": "\(error)"])
  }

  func connection(_ connection: Connection, brokeTLS reason: String) {
    services.logger.debug(
      "a TLS connection broke",
      metadata: ["client": "\(connection.clientText)", "reason": "\(reason)"])
  }

  func connection(_ connection: Connection, wasNotIntroduced reason: String) {
    services.logger.debug(
      "a connection without a PROXY header was closed",
      metadata: ["client": "\(connection.clientText)", "reason": "\(reason)"])
  }

  private func upgrade(_ connection: Connection, _ head: HTTPRequestHead) -> RequestOutcome {
    if let refusal = refusal(of: head) { return .respond(refusal) }
    do {
      let acceptance = try handshake.accept(head)
      let keepsContext = acceptance.compression?.clientNoContextTakeover == false
      if keepsContext { contextCount += 1 }
      let session = Session(connection: connection, node: self, keepsContext: keepsContext)
      sessions[connection.id] = session
      services.logger.debug(
        "a WebSocket was opened", metadata: ["client": "\(connection.clientText)"])
      return .upgrade(acceptance, session)
    } catch {
      return .respond(error.response)
    }
  }

  /// Clients may keep compression contexts as long as the setting allows one more.
  private var handshake: ServerHandshake {
    let nodes = services.cluster.nodes.count
    let allowed = (services.settings.compression.contexts + nodes - 1) / nodes
    return ServerHandshake(
      subprotocols: ["parley.v1"],
      compression: PermessageDeflate.Policy(
        contexts: contextCount < allowed ? .clientsKept : .notKept))
  }

  private func refusal(of head: HTTPRequestHead) -> HTTPResponse? {
    let allowed = services.settings.auth.allowedOrigins
    if !allowed.isEmpty, let origin = head.fields["Origin"], !allowed.contains(origin) {
      return HTTPResponse(
        refusing: ServiceError(.originNotAllowed, "this origin is not in auth.allowed_origins"))
    }
    guard services.stage == .serving, openConnectionCount <= services.connectionLimit else {
      return HTTPResponse(refusing: .overCapacity)
    }
    return nil
  }

  /// Connections of the whole process, as the nodes last counted them.
  private var openConnectionCount: Int {
    services.metrics.gauges.reduce(0) { $0 + Int($1.value(of: .connections)) }
  }
}

extension Connection {
  /// The client's address for the log.
  fileprivate var clientText: String { clientAddress?.description ?? "unknown" }
}

extension HTTPResponse {
  /// Refuses a request in the form that all errors have.
  init(refusing error: ServiceError) {
    var fields: HTTPFields = ["Content-Type": "application/json"]
    if let wait = error.data.retryAfterMilliseconds {
      fields.append("Retry-After", String((wait + 999) / 1000))
    }
    self.init(
      status: HTTPStatus(UInt16(clamping: error.code.httpStatus)), fields: fields,
      body: JSONWriter.bytes { error.encodeHTTPBody(into: &$0) })
  }
}
