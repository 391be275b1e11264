import Basics
import Configuration
import Crypto
import HTTP
import Logging
import ParleyProtocol
import Store
import Channels
import Transport

/// Dispatches one request from the transport to the endpoint of its route.
struct RequestDispatch {
  private let shard: Shard
  private let exchange: Exchange
  private let match: Routes.Table.Match

  init(_ exchange: Exchange, on shard: Shard) {
    self.shard = shard
    self.exchange = exchange
    match = Routes.table.match(shard.services.publicPath.inside(exchange.head))
  }

  private var head: HTTPRequestHead { exchange.head }

  private var admission: PlatformAdmission {
    PlatformAdmission(shard: shard, connection: exchange.connection)
  }

  /// Answers the request, whose body, if any, has been received.
  func answer() -> RequestOutcome {
    if let refusal = shard.refusal(of: exchange, for: match.access) { return .respond(refusal) }
    guard case .platform(let availability, let role) = match.access else {
      return answerResource()
    }
    noteCall()
    do throws(ServiceError) {
      try admission.admit(head, as: role)
      let target = try platformRoute(availability)
      try shard.carryOut(auditCall(target), exchange.id) { () throws(ServiceError) in
        try perform(target)
      }
      return .respondLater(onAbandonment: nil)
    } catch {
      return .respond(HTTPResponse(refusing: error).naming(CallTrace(head)))
    }
  }

  private func noteCall() {
    var metadata: Logger.Metadata {
      var metadata: Logger.Metadata = [
        "method": "\(head.method)", "path": "\(head.path)",
        "client": "\(exchange.connection.clientText)",
      ]
      metadata.name(CallTrace(head))
      return metadata
    }
    shard.services.logger.debug("the Platform API was called", metadata: metadata)
  }

  /// Decides how to handle the body of the request, of which only the head has arrived.
  ///
  /// A request that can be refused by its head alone is refused before any of the body is kept.
  func decideOnBody() -> BodyDecision {
    if let refusal = shard.refusal(of: exchange, for: match.access) {
      return .refusing(head, refusal)
    }
    if head.hasCodedContent { return .refusing(head, .codedContent) }
    guard case .platform(let availability, let role) = match.access else {
      return decideOnResourceBody()
    }
    do throws(ServiceError) {
      if case .route(let route, _) = match, route.body == .wholeOrForm,
        MultipartBoundary.isMeant(by: head.fields["Content-Type"])
      {
        // A form creates or changes what only admins may change, or sends a user's file.
        try admission.admit(head, as: .admin)
        let target = try platformRoute(availability)
        return try UploadReceiver.decision(
          on: exchange, for: purpose(of: route, target), on: shard, audit: auditCall(target))
      }
      try admission.check(head, as: role)
      _ = try platformRoute(availability)
      return .whole
    } catch {
      return .refusing(head, HTTPResponse(refusing: error).naming(CallTrace(head)))
    }
  }

  // MARK: The Platform API

  private struct Target {
    let kind: ChannelKind?
    let endpoint: Routes.Endpoint
    let arguments: PathArguments
    let query: QueryParameters
    let body: [UInt8]

    func call(_ exchange: Exchange, on shard: Shard) -> PlatformCall {
      PlatformCall(
        shard: shard, address: ExchangeAddress(exchange, on: shard.handle),
        caller: exchange.platformCaller, about: kind, arguments: arguments, query: query,
        body: body,
        namedBase: FileAddress.base(
          named: exchange.head, isEncrypted: exchange.connection.isEncrypted))
    }
  }

  /// - Throws: 400151 when the target's percent-encoding is broken, 400501 while the gateway drains,
  ///   400930 when there is no such path, or not with this method, 400111 for a parameter of the query
  ///   that the call does not have, or for a body where it takes none.
  private func platformRoute(
    _ availability: Routes.Availability
  ) throws(ServiceError) -> Target {
    guard let query = QueryParameters(head.query), match.miss != .encoding else {
      throw ServiceError(
        .characterNotAllowed, "the target's percent-encoding is broken or not UTF-8")
    }
    if availability == .whileServing, shard.services.stage == .draining { throw .draining }
    guard case .route(let route, let arguments) = match else {
      throw .noSuchEndpoint(head.method, head.path)
    }
    if let name = route.query.excess(of: query) {
      throw .unknownParameter(name, expected: route.query.names)
    }
    let body = exchange.request.body
    guard route.body != .none || body.isEmptyObject else {
      throw .unknownBody(body, expected: route.query.names)
    }
    return Target(
      kind: ChannelKind(of: route.pattern), endpoint: route.endpoint, arguments: arguments,
      query: query,
      body: route.body == .none ? [] : body)
  }

  /// The call as the audit log describes it; `nil` when it does not belong there.
  private func auditCall(_ target: Target) -> AuditCall? {
    guard case .route(let route, let arguments) = match else { return nil }
    return shard.auditCall(exchange, route, arguments, target.query, body: target.body)
  }

  private func purpose(
    of route: Routes.Route, _ target: Target
  ) throws(ServiceError) -> FormPurpose {
    guard let holder = PlatformRoutes.pictureHolder(of: route) else {
      let url = try target.call(exchange, on: shard).channelURL
      return .message(channelURL: url, target.kind ?? .open)
    }
    let (head, endpoint, kind) = (head, target.endpoint, target.kind)
    let arguments = target.arguments
    let (caller, address) = (
      exchange.platformCaller.bytes, ExchangeAddress(exchange, on: shard.handle)
    )
    return .picture(
      PictureForm(holder: holder) { shard, body in
        let request = PlatformRequest(
          method: head.method, target: head.target, body: body, caller: caller, exchange: address)
        switch endpoint {
        case .channel:
          shard.send(.channel(url: arguments["channel_url"], .platform(request)))
        case .platform(let endpoint):
          shard.perform(request, by: endpoint, about: kind, arguments)
        case .resource, .upload, .stream: break
        }
      })
  }

  private func perform(_ target: Target) throws(ServiceError) {
    switch target.endpoint {
    case .platform(let endpoint):
      let call = target.call(exchange, on: shard)
      try endpoint(call, call.completion)
    case .channel:
      let request = PlatformRequest(
        method: head.method, target: head.target, body: target.body,
        caller: exchange.platformCaller.bytes,
        exchange: ExchangeAddress(exchange, on: shard.handle))
      shard.send(.channel(url: target.arguments["channel_url"], .platform(request)))
    case .resource, .upload, .stream: throw .noSuchEndpoint(head.method, head.path)
    }
  }

  // MARK: Everything else

  private func answerResource() -> RequestOutcome {
    switch match {
    case .route(let route, let arguments):
      let call = ResourceCall(shard: shard, exchange: exchange, arguments: arguments)
      switch route.endpoint {
      case .resource(let endpoint): return endpoint(call)
      case .upload: return UploadRequests(call).answer()
      case .stream: return StreamRequests(call).answer()
      case .platform, .channel: return .respond(nothing(.path))
      }
    case .nothing(let miss, _): return .respond(nothing(miss))
    }
  }

  /// No resource takes a body: a small one is read and ignored.
  private func decideOnResourceBody() -> BodyDecision {
    if case .route(let route, let arguments) = match {
      let call = ResourceCall(shard: shard, exchange: exchange, arguments: arguments)
      switch route.endpoint {
      case .upload: return UploadRequests(call).decideOnBody()
      case .stream: return StreamRequests(call).decideOnBody()
      case .resource, .platform, .channel: break
      }
    }
    var refusal = HTTPResponse(
      refusing: ServiceError(.tooLong, "there is nothing here that takes a body"))
    refusal.status = .contentTooLarge
    return .passingOver(head, then: answer, or: match.miss.map(nothing) ?? refusal)
  }

  private func nothing(_ miss: Routes.Table.Miss) -> HTTPResponse {
    switch miss {
    case .method(let allowed):
      return HTTPResponse(refusing: head.method, allowed: allowed)
    case .path, .encoding:
      if match.access == .files { return FileDownload.notFound }
      return HTTPResponse(refusing: .noSuchEndpoint(head.method, head.path))
    }
  }
}

extension ServiceError {
  /// A call that ignored a parameter could return, or remove, more than its caller selected.
  fileprivate static func unknownParameter(
    _ name: String, expected names: [String]
  ) -> ServiceError {
    let expected = names.isEmpty ? "none" : names.joined(separator: ", ")
    return ServiceError(
      .invalidValue,
      "'\(DisplayText.line(name, limit: 40))' is not a parameter of this call: expected \(expected)"
    )
  }
}

extension ServiceError {
  /// Refuses the body of a call that takes none.
  fileprivate static func unknownBody(_ body: [UInt8], expected names: [String]) -> ServiceError {
    let member = (try? JSONDocument(body))?.root.members.first { _ in true }.map {
      "'\(DisplayText.line($0.name, limit: 40))' in the body is not a parameter"
    }
    let expected = names.isEmpty ? "" : ", whose query has \(names.joined(separator: ", "))"
    return ServiceError(
      .invalidValue, "\(member ?? "a body is not part") of this call: expected none\(expected)")
  }
}

extension [UInt8] {
  /// Whether the body is empty, or the JSON `{}` that some clients send instead of none.
  fileprivate var isEmptyObject: Bool { isEmpty || elementsEqual("{}".utf8) }
}

extension ChannelKind {
  /// The kind of channels that a path is about; `nil` for a path that names none.
  init?(of pattern: PathPattern) {
    guard let kind = Self.allCases.first(where: { pattern.names($0.rawValue) }) else { return nil }
    self = kind
  }
}

extension Exchange {
  /// The token of a call that was admitted.
  fileprivate var platformCaller: TokenDigest { TokenDigest(of: head.fields["Api-Token"] ?? "") }
}

extension Shard {
  /// Runs the endpoint of a call at the home of the channel in its path, which is this shard.
  func perform(_ request: PlatformRequest) {
    let head = HTTPRequestHead(method: request.method, target: request.target)
    guard case .route(let route, let arguments) = Routes.table.match(head),
      case .channel(let endpoint) = route.endpoint
    else {
      return Completion(request.exchange, services.shards)
        .fail(.noSuchEndpoint(head.method, head.path))
    }
    perform(request, by: endpoint, about: ChannelKind(of: route.pattern), arguments)
  }

  fileprivate func perform(
    _ request: PlatformRequest, by endpoint: PlatformEndpoint, about kind: ChannelKind?,
    _ arguments: PathArguments
  ) {
    let completion = Completion(request.exchange, services.shards)
    let head = HTTPRequestHead(method: request.method, target: request.target)
    do throws(ServiceError) {
      guard let query = QueryParameters(head.query),
        let caller = TokenDigest(stored: request.caller)
      else { throw .noSuchEndpoint(head.method, head.path) }
      let call = PlatformCall(
        shard: self, address: request.exchange, caller: caller, about: kind,
        arguments: arguments, query: query, body: request.body)
      try endpoint(call, completion)
    } catch {
      completion.fail(error)
    }
  }
}
