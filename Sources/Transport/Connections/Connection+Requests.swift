import HTTP
import Reactor
import Streams

/// Handles HTTP requests and their answers.
extension Connection {
  /// Handles input while waiting for a request.
  ///
  /// - Returns: The number of bytes consumed; `nil` when all were consumed and more are needed.
  func receiveRequest(
    _ input: UnsafeRawBufferPointer, _ parser: inout HTTPRequestParser
  ) -> Int? {
    if !input.isEmpty { headDidBegin() }
    // The stage must not hold a second copy while the parser grows.
    enter(.lingering)
    do {
      let (consumed, event) = try parser.receive(input.assumingMemoryBound(to: UInt8.self).span)
      enter(.http(parser))
      switch event {
      case nil: return nil
      case .head(let head): try begin(head)
      case .expectsContinue: append(HTTPResponse.continueBytes)
      case .request(let request): answer(request)
      case .piece, .bodyEnd: break
      }
      return consumed
    } catch {
      enter(.http(parser))
      refuse(error)
      return nil
    }
  }

  private func answer(_ request: HTTPRequest) {
    trace(request.head)
    let exchange = exchange(request)
    carryOut(transport.delegate?.answer(exchange), of: exchange)
  }

  func carryOut(_ outcome: RequestOutcome?, of exchange: Exchange) {
    switch outcome {
    case .respond(let response):
      markOpened()
      respond(response, to: exchange.request)
    case .respondLater(let onAbandonment):
      markOpened()
      awaitAnswer(to: exchange, onAbandonment)
    case .upgrade(let acceptance, let application): upgrade(acceptance, application)
    case nil: end()
    }
  }

  /// Answers with the error and closes the connection.
  func refuse(_ error: HTTPError) {
    respond(refusal(of: error), to: nil)
  }

  func refusal(of error: HTTPError) -> HTTPResponse {
    transport.delegate?.connection(self, refusalOf: error) ?? HTTPResponse(refusing: error)
  }

  /// Whether the connection serves another request after this response.
  ///
  /// Not when the peer sends requests without reading answers, or was refused for lack of room.
  func persistence(
    after response: HTTPResponse, to request: HTTPRequest?
  ) -> ConnectionPersistence {
    let isKept =
      request?.head.shouldKeepAlive == true && response.status != .serviceUnavailable
      && !transport.isDraining
      && queuedByteCount <= transport.configuration.outboundHighWaterMark
    return isKept ? .keepAlive : .close
  }

  func respond(_ response: HTTPResponse, to request: HTTPRequest?) {
    write(response, to: request, persistence(after: response, to: request))
  }

  private func write(
    _ response: HTTPResponse, to request: HTTPRequest?, _ persistence: ConnectionPersistence
  ) {
    let response = transport.dated(response)
    var bytes: [UInt8] = []
    if request?.head.method == "HEAD" {
      response.serializeHead(into: &bytes, for: persistence)
    } else {
      response.serialize(into: &bytes, for: persistence)
    }
    append(bytes)
    switch persistence {
    case .keepAlive: awaitNextRequest()
    case .close: finish()
    }
  }

  private func awaitAnswer(
    to exchange: Exchange, _ onAbandonment: (() -> Void)?
  ) {
    guard case .http = stage else {
      onAbandonment?()
      return
    }
    cancelTimer()
    let pending = PendingRequest(
      exchange: exchange.number, request: exchange.request, onAbandonment: onAbandonment)
    enter(.answering(pending))
  }

  /// Keeps the input after a request until the request is answered.
  func hold(_ bytes: UnsafeRawBufferPointer, behind pending: inout PendingRequest) {
    // The stage must not hold a second copy while the bytes grow.
    enter(.lingering)
    pending.held.append(contentsOf: bytes)
    enter(.answering(pending))
    if pending.held.count > PendingRequest.maximumHeldBytes { stopReading() }
  }

  /// Keeps the input after a request until its answer's body has been written.
  func hold(_ bytes: UnsafeRawBufferPointer, behind outgoing: OutgoingBody) {
    outgoing.held.append(contentsOf: bytes)
    if outgoing.held.count > PendingRequest.maximumHeldBytes { stopReading() }
  }

  /// Answers the request for which the delegate has promised a response.
  ///
  /// While a body is being received in pieces, the rest is refused and the connection closed. Does
  /// nothing when the request is no longer open.
  func respond(_ response: HTTPResponse) {
    guard case .answering(let pending) = stage else { return refuseBody(response) }
    enter(Self.nextRequest(on: transport))
    if !peerHasEnded { resumeReading() }
    let isLast = peerHasEnded && pending.held.isEmpty
    write(
      response, to: pending.request,
      isLast ? .close : persistence(after: response, to: pending.request))
    pending.held.withUnsafeBytes { process($0) }
    if peerHasEnded { endUnlessAnswering() }
    accountRequest()
  }

  /// Notifies the application that the request no longer needs an answer.
  func abandonRequest() {
    switch stage {
    case .receiving(let body):
      enter(.http(body.parser))
      body.receiver.bodyWasAbandoned()
    case .answering(let pending):
      enter(Self.nextRequest(on: transport))
      pending.onAbandonment?()
    case .sending(let outgoing): outgoing.content.abandon()
    case .proxyHeader, .http, .webSocket, .eventStream, .endedStream, .departing, .closing,
      .lingering, .closed:
      break
    }
  }

  private func upgrade(
    _ acceptance: ServerHandshake.Acceptance, _ application: any WebSocketApplication
  ) {
    var response: [UInt8] = []
    acceptance.serialize(into: &response)
    append(response)
    let windowBits = acceptance.compression?.sharedFrameWindowBits
    becomeWebSocket(
      WebSocketEndpoint(
        role: .server, limits: transport.configuration.webSocket,
        compression: acceptance.compression),
      encoding: windowBits.map { .deflated(windowBits: UInt8(clamping: $0)) } ?? .plain,
      application: application)
    // The complete response is sent before any frame.
    cutFrame = CutFrame(byteCount: stream.plainByteCount)
    awaitPing()
    updatePath()
  }

  /// Accounts for the memory of an HTTP request.
  func accountRequest() {
    switch stage {
    case .http(let parser): applicationByteCount = parser.bodyByteCount
    case .answering(let pending): applicationByteCount = pending.byteCount
    case .sending(let outgoing): applicationByteCount = outgoing.held.count
    // A receiver of bodies accounts for its own memory, and so does the application of a WebSocket.
    case .proxyHeader, .receiving, .webSocket, .eventStream, .endedStream, .departing, .closing,
      .lingering, .closed:
      break
    }
  }
}
