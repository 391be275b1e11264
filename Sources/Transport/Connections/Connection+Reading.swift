import HTTP1
package import Reactor
import Streams
import TLS
import WebSocket

extension Connection: ReadinessHandler {
  package func descriptorIsReady(for readiness: Readiness) {
    if readiness.contains(.writable) { flush() }
    // Writing may have ended it, and its descriptor's number may be another connection's by now.
    if case .closed = stage { return }
    if readiness.contains(.readable) {
      receive()
    } else if !readiness.isDisjoint(with: .hangup) {
      drop()
    }
  }

  private func receive() {
    let buffer = transport.resources.readBuffer
    switch stream.receive(into: buffer) {
    case .transferred(let count):
      transport.counters.bytesReceived += count
      lastReceived = transport.loop.now
      noteLife()
      take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    case .wouldBlock: break
    case .ended: peerDidEnd()
    case .failed: drop()
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    var bytes = bytes
    if case .proxyHeader(let parser) = stage {
      guard let rest = receiveProxyHeader(bytes, parser), !rest.isEmpty else { return }
      bytes = rest
      lastReceived = transport.loop.now
    }
    if var decryption = stream.decrypt(bytes, using: transport.resources) {
      process(&decryption)
    } else {
      process(bytes)
    }
    accountRequest()
  }

  /// Counts what a request over HTTP holds.
  private func accountRequest() {
    switch stage {
    case .http(let parser): applicationByteCount = parser.bodyByteCount
    case .answering(let pending): applicationByteCount = pending.byteCount
    case .sending(let outgoing): applicationByteCount = outgoing.pending.byteCount
    // A receiver of bodies counts what it holds itself; so does what runs on a WebSocket.
    case .proxyHeader, .receiving, .webSocket, .closing, .lingering, .closed: break
    }
  }

  private func process(_ decryption: inout SocketStream.Decryption) {
    defer { transport.resources.recycle(&decryption.plaintext) }
    if decryption.hasReply { scheduleFlush() }
    switch decryption.result {
    case .success(let progress):
      decryption.plaintext.withUnsafeBytes { process($0) }
      if progress == .closedByPeer { peerDidEnd() }
    case .failure(let error):
      transport.delegate?.connection(self, brokeTLS: "\(error)")
      end()
    }
  }

  /// Handles decrypted bytes; what comes after an upgrade belongs to the WebSocket.
  func process(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while true {
      let input = UnsafeRawBufferPointer(rebasing: rest)
      switch stage {
      case .http(var parser):
        guard let consumed = receiveRequest(input, &parser) else { return }
        rest = rest.dropFirst(consumed)
      case .receiving(var body):
        guard let consumed = receiveBody(input, &body) else { return }
        rest = rest.dropFirst(consumed)
      case .answering(var pending):
        hold(input, behind: &pending)
        return
      case .sending(var outgoing):
        hold(input, behind: &outgoing)
        return
      case .webSocket, .closing:
        receiveFrames(input)
        return
      case .proxyHeader, .lingering, .closed:
        return
      }
    }
  }

  /// - Returns: How many bytes led to something; `nil` when all were taken and more are needed.
  private func receiveRequest(
    _ input: UnsafeRawBufferPointer, _ parser: inout HTTPRequestParser
  ) -> Int? {
    // The stage must not hold a second copy while the parser grows.
    stage = .lingering
    do {
      let (consumed, event) = try parser.receive(input.assumingMemoryBound(to: UInt8.self).span)
      stage = .http(parser)
      switch event {
      case nil: return nil
      case .head(let head): try begin(head)
      case .expectsContinue: append(HTTPResponse.continueBytes)
      case .request(let request): answer(request)
      case .piece, .bodyEnd: break
      }
      return consumed
    } catch {
      stage = .http(parser)
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

  /// Answers with the error, and closes.
  func refuse(_ error: HTTPError) {
    respond(
      transport.delegate?.connection(self, refusalOf: error) ?? HTTPResponse(refusing: error),
      to: nil)
  }

  /// Whether the connection serves another request after this response.
  ///
  /// Not when the peer asks for more than it reads, or when it was refused for lack of room.
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
    var bytes: [UInt8] = []
    if request?.head.method == "HEAD" {
      response.serializeHead(into: &bytes, for: persistence)
    } else {
      response.serialize(into: &bytes, for: persistence)
    }
    append(bytes)
    switch persistence {
    case .keepAlive: awaitHead()
    case .close: finish()
    }
  }

  private func awaitAnswer(
    to exchange: Exchange, _ onAbandonment: (() -> Void)?
  ) {
    guard case .http(let parser) = stage else {
      onAbandonment?()
      return
    }
    cancelTimer()
    stage = .answering(
      PendingRequest(
        exchange: exchange.number, request: exchange.request, parser: parser,
        onAbandonment: onAbandonment))
  }

  /// Keeps what comes behind a request until that is answered.
  private func hold(_ bytes: UnsafeRawBufferPointer, behind pending: inout PendingRequest) {
    // The stage must not hold a second copy while the bytes grow.
    stage = .lingering
    pending.held.append(contentsOf: bytes)
    stage = .answering(pending)
    if pending.held.count > PendingRequest.maximumHeldBytes { stopReading() }
  }

  /// Keeps what comes behind a request until its answer's file has been written.
  private func hold(_ bytes: UnsafeRawBufferPointer, behind outgoing: inout OutgoingFile) {
    stage = .lingering
    outgoing.pending.held.append(contentsOf: bytes)
    stage = .sending(outgoing)
    if outgoing.pending.held.count > PendingRequest.maximumHeldBytes { stopReading() }
  }

  /// Answers the request for which the delegate has promised a response.
  ///
  /// In the middle of a body that is received in pieces the rest is refused, and the connection
  /// closed. Does nothing when the request is no longer open.
  func respond(_ response: HTTPResponse) {
    guard case .answering(let pending) = stage else { return refuseBody(response) }
    stage = .http(pending.parser)
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
      stage = .http(body.parser)
      body.receiver.bodyWasAbandoned()
    case .answering(let pending):
      stage = .http(pending.parser)
      pending.onAbandonment?()
    case .proxyHeader, .http, .sending, .webSocket, .closing, .lingering, .closed: break
    }
  }

  private func upgrade(
    _ acceptance: ServerHandshake.Acceptance, _ application: any WebSocketApplication
  ) {
    var response: [UInt8] = []
    acceptance.serialize(into: &response)
    append(response)
    endpoint = WebSocketEndpoint(
      role: .server, limits: transport.configuration.webSocket,
      compression: acceptance.compression)
    if let bits = acceptance.compression?.sharedFrameWindowBits {
      encoding = .deflated(windowBits: UInt8(clamping: bits))
    }
    stage = .webSocket
    // The response goes whole before any frame.
    cutFrame = CutFrame(byteCount: stream.plainByteCount)
    self.application = application
    awaitPing()
    updatePath()
  }

  /// Handles frames message by message, so that an answer leaves before what the peer sent next has
  /// its effect.
  private func receiveFrames(_ input: UnsafeRawBufferPointer) {
    var output = transport.output
    transport.output = WebSocketOutput()
    let bytes = input.assumingMemoryBound(to: UInt8.self)
    var offset = 0
    while offset < bytes.count,
      let count = endpoint?.receiveNext(
        bytes.span.extracting(offset...), using: transport.deflate, into: &output)
    {
      offset += count
      if !output.bytes.isEmpty { append(output.bytes) }
      for event in output.events { handle(event) }
      output.removeAll()
      // Few bytes may be many messages once they are inflated.
      if isReadingPaused, offset < bytes.count, isOpen { break }
    }
    transport.output = output
    if isReadingPaused, offset < bytes.count, isOpen { hold(bytes[offset...]) }
  }

  private func hold(_ rest: Slice<UnsafeBufferPointer<UInt8>>) {
    heldInput = Array(rest)
    account()
  }

  /// Handles what was read before the application asked not to be given more.
  func takeHeldInput() {
    guard !heldInput.isEmpty, isOpen else { return }
    let held = heldInput
    heldInput = []
    held.withUnsafeBytes { receiveFrames($0) }
    account()
  }

  private func handle(_ event: WebSocketEvent) {
    switch event {
    case .text(let bytes): hand(.text(bytes))
    case .binary(let bytes): hand(.binary(bytes))
    case .ping, .pong: break
    case .closed(let code, _):
      let wasOpen = isOpen
      finish()
      if wasOpen { didStopBeingOpen(.peerClosed(code)) }
    case .failed(let error):
      finish()
      didStopBeingOpen(.protocolError(error.closeCode))
    }
  }

  private func hand(_ message: WebSocketMessage) {
    guard isOpen else { return }
    transport.counters.messagesReceived += 1
    application?.connection(self, received: message)
  }

  /// The peer will send no more.
  ///
  /// A response may still be under way to it.
  private func peerDidEnd() {
    switch stage {
    case .http where queuedByteCount > 0, .lingering where queuedByteCount > 0:
      finish()
      stopReading()
    case .sending:
      finish()
      stopReading()
    case .answering(let pending) where pending.onAbandonment == nil:
      // It may have ended its side only (RFC 9112 §9.6): what it asked for is answered.
      peerHasEnded = true
      stopReading()
    case .proxyHeader, .http, .receiving, .answering, .webSocket, .closing, .lingering, .closed:
      drop()
    }
  }

  /// Ends the connection whose peer sends no more, once all that it asked for is answered.
  func endUnlessAnswering() {
    switch stage {
    case .http, .lingering:
      finish()
      stopReading()
    case .proxyHeader, .receiving, .answering, .sending, .webSocket, .closing, .closed: break
    }
  }
}
