import Basics
import Configuration
import HTTP
import Logging
import ParleyProtocol
import Reactor
import Telemetry
import Transport
import Uploads

extension Shard: TransportDelegate {
  func answer(_ exchange: Exchange) -> RequestOutcome {
    RequestDispatch(exchange, on: self).answer()
  }

  func decideOnBody(of exchange: Exchange) -> BodyDecision {
    RequestDispatch(exchange, on: self).decideOnBody()
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
      "connections cannot be accepted", metadata: ["reason": "\(error)"])
  }

  func connection(_ connection: Connection, brokeTLS reason: String) {
    services.logger.debug(
      "a TLS connection broke",
      metadata: ["client": "\(connection.clientText)", "reason": "\(reason)"])
  }

  func connection(_ connection: Connection, lacksProxyHeader reason: String) {
    services.logger.debug(
      "a connection without a PROXY header was closed",
      metadata: ["client": "\(connection.clientText)", "reason": "\(reason)"])
  }

  func connection(_ connection: Connection, isRefused refusal: ExceededAddressLimit) {
    note(refusal, of: connection)
  }

  func connectionWillBeShed(_ connection: Connection) {
    refuse(.silentConnection, connection, [:])
  }

  func transportHasNoRoom() {
    services.refusals.note(.noRoom, at: loop.now)
  }

  /// Logs the refusal of a client.
  func refuse(_ kind: RefusalLog.Kind, _ connection: Connection, _ details: Logger.Metadata) {
    var metadata = details
    metadata["client"] = "\(connection.clientText)"
    services.refusals.note(kind, at: loop.now, metadata)
  }

  func note(_ refusal: ExceededAddressLimit, of connection: Connection) {
    let (setting, limit) =
      switch refusal {
      case .connections(let limit): ("limits.connections_per_address", limit)
      case .unopened(let limit): ("limits.unopened_connections_per_address", limit)
      }
    refuse(.address, connection, ["limit": "\(limit)", "setting": "\(setting)"])
  }

  /// The answer to a request from a page, or to a host, that is not allowed; `nil` for others.
  func refusal(of exchange: Exchange, for access: Routes.Access) -> HTTPResponse? {
    let connection = exchange.connection
    let request = OriginRules.Request(
      exchange, access, isLoopback: loopbackListeners.contains(connection.listenerTag))
    guard let refusal = origins.refusal(of: request) else { return nil }
    switch refusal {
    case .origin(let origin):
      counters.add(to: .requestsOfForeignOrigin)
      refuse(.origin, connection, ["origin": "\(origin.prefix(200))"])
    case .host(let host):
      counters.add(to: .requestsOfForeignHost)
      refuse(.host, connection, ["host": "\(host.prefix(200))"])
    }
    return HTTPResponse(refusing: ServiceError(.originNotAllowed, refusal.explanation))
  }

  /// Upgrades a request's connection to a WebSocket with a session.
  func upgrade(_ exchange: Exchange) -> RequestOutcome {
    let connection = exchange.connection
    guard services.stage == .serving, webSocketCount < connectionLimit else {
      return .respond(HTTPResponse(refusing: .overCapacity))
    }
    do {
      let acceptance = try handshake.accept(exchange.head)
      if let refusal = connection.awaitSession() {
        counters.add(to: .connectionsOverAddressLimit)
        note(refusal, of: connection)
        return .respond(HTTPResponse(refusing: .overCapacity))
      }
      gauges.add(1, to: .webSockets)
      let keepsContext = acceptance.compression?.clientNoContextTakeover == false
      if keepsContext { contextCount += 1 }
      let base = FileAddress.base(named: exchange.head, isEncrypted: connection.isEncrypted)
      let session = Session(
        connection: connection, shard: self, keepsContext: keepsContext,
        base: bases.claim(base))
      var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["client": "\(connection.clientText)"]
        metadata.name(CallTrace(exchange.head))
        return metadata
      }
      services.logger.debug("a WebSocket was opened", metadata: metadata)
      return .upgrade(acceptance, session)
    } catch {
      return .respond(error.response)
    }
  }

  /// Clients may keep compression contexts as long as the setting allows one more.
  private var handshake: ServerHandshake {
    let shards = services.shards.count
    let allowed = (settings.compression.contexts + shards - 1) / shards
    return ServerHandshake(
      subprotocols: ["parley.v1"],
      compression: PermessageDeflate.Policy(
        contexts: contextCount < allowed ? .clientsKept : .notKept))
  }

  /// The number of WebSockets and streams in the whole process.
  var webSocketCount: Int {
    services.metrics.gauges.reduce(0) { $0 + Int($1.value(of: .webSockets)) }
  }
}

extension Connection {
  /// The client's address for the log.
  var clientText: String { clientAddress?.description ?? "unknown" }
}

extension ServiceError {
  /// The status of an answer with the error: 507 where there is no room for a file.
  fileprivate var httpStatus: Int {
    data.reason == UploadRefusal.full.error.data.reason
      ? Int(UploadRefusal.full.status) : code.httpStatus
  }
}

extension HTTPResponse {
  /// Refuses a request in the common format of errors.
  init(refusing error: ServiceError) {
    var fields: HTTPFields = ["Content-Type": "application/json"]
    if let wait = error.data.retryAfterMilliseconds {
      fields.append("Retry-After", String((wait + 999) / 1000))
    }
    if error.code == .invalidAPIToken { fields.append("WWW-Authenticate", "Api-Token") }
    self.init(
      status: HTTPStatus(UInt16(clamping: error.httpStatus)), fields: fields,
      body: JSONWriter.bytes { error.encodeHTTPBody(into: &$0) })
  }

  /// Refuses a method of a path that allows others.
  init(refusing method: String, allowed: [String]) {
    let list = allowed.joined(separator: ", ")
    self.init(
      refusing: ServiceError(
        .noSuchEndpoint,
        "\(DisplayText.excerpt(method, limit: 20)) is not allowed here, only \(list)"))
    status = .methodNotAllowed
    fields.append("Allow", list)
  }

  /// Refuses a body with a content coding that the server would have to decode.
  static let codedContent = {
    var response = HTTPResponse(
      refusing: ServiceError(
        .invalidValue, "Content-Encoding: bodies must be sent without a coding"))
    response.status = .unsupportedMediaType
    response.fields.append("Accept-Encoding", "identity")
    return response
  }()
}

extension HTTPRequestHead {
  /// The value of a field that decides about access; `nil` without one.
  ///
  /// - Throws: 400111 if the field is sent more than once: a proxy could have checked another value.
  func onlyValue(of name: String) throws(ServiceError) -> String? {
    let values = fields.values(of: name)
    guard values.count <= 1 else {
      throw ServiceError(
        .invalidValue, "the header \(name) must be sent once, not \(values.count) times")
    }
    return values.first
  }
}
