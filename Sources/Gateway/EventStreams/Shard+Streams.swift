import Channels
import Cluster
import Configuration
import HTTP
import Logging
import ParleyProtocol
import Telemetry
import Transport

extension Shard {
  /// Opens a stream with a session, for a request whose body is `session.open`.
  func openStream(_ exchange: Exchange, _ responses: StreamResponses) -> RequestOutcome {
    let (requester, body) = (exchange.connection, exchange.request.body)
    guard services.stage == .serving, webSocketCount < connectionLimit else {
      return .respond(responses.refusal(.overCapacity))
    }
    if let error = Self.fault(inOpening: body) { return .respond(responses.refusal(error)) }
    let stream: Connection
    switch Connection.openStream(
      for: requester, grace: settings.streams.graceSeconds * 1_000)
    {
    case .success(let opened): stream = opened
    case .failure(let refusal):
      counters.add(to: .connectionsOverAddressLimit)
      note(refusal, of: requester)
      return .respond(responses.refusal(.overCapacity))
    }
    gauges.add(1, to: .webSockets)
    let base = FileAddress.base(named: exchange.head, isEncrypted: requester.isEncrypted)
    let session = Session(
      connection: stream, shard: self, keepsContext: false, base: bases.claim(base))
    let (id, exchangeID) = (stream.id, exchange.id)
    stream.begin(session) { [unowned self] answer in
      didOpenStream(id, answer, to: exchangeID, responses)
    }
    var metadata: Logger.Metadata {
      var metadata: Logger.Metadata = ["client": "\(requester.clientText)"]
      metadata.name(CallTrace(exchange.head))
      return metadata
    }
    services.logger.debug("a stream was opened", metadata: metadata)
    session.connection(stream, received: .text(body))
    return .respondLater { [unowned self] in transport.connection(id)?.end() }
  }

  /// The reason why a body does not open a stream.
  private static func fault(inOpening body: [UInt8]) -> ServiceError? {
    switch RPCInput(body) {
    case .malformed(let error), .single(.invalid(_, let error)): return error
    case .single(.request(let request)) where request.method == "session.open" && request.id != nil:
      return nil
    case .single, .batch:
      return .invalidRequest("the first message must be one request, session.open with an id")
    }
  }

  private func didOpenStream(
    _ id: ConnectionID, _ answer: [UInt8]?, to exchange: Exchange.ID, _ responses: StreamResponses
  ) {
    let root = answer.flatMap { try? JSONDocument($0).root }
    if let result = root?["result"] {
      let address = StreamAddress(id, on: handle.address).text(services.streamKey)
      let path = Routes.stream.path(address)
      return transport.respond(responses.opened(path, result: Array(result.raw)), to: exchange)
    }
    let error = root?["error"].flatMap { ServiceError(json: $0) } ?? .overCapacity
    let status: HTTPStatus? = error.code == .invalidAccessToken ? .unauthorized : nil
    transport.respond(responses.refusal(error, status), to: exchange)
    // The session is still at work on its answer.
    returnPath.resume { $0.transport.connection(id)?.end() }
  }

  /// Carries out a request to a stream of this shard.
  func carryOut(
    _ action: StreamRequest.Action, onStream id: ConnectionID, _ exchange: ExchangeAddress
  ) {
    guard let stream = transport.connection(id), stream.isStream else {
      if case .read = action { counters.add(to: .streamResumesGone) }
      return answer(.gone, to: exchange)
    }
    switch action {
    case .read(let reading): read(reading, of: stream, exchange)
    case .post(let message, let position): post(message, after: position, to: stream, exchange)
    case .close:
      stream.release()
      guard let session = sessions[id] else { return answer(.gone, to: exchange) }
      session.closeWhenAnswered(.normalClosure, reason: "")
      answer(.closed, to: exchange)
    }
  }

  private func post(
    _ message: [UInt8], after position: UInt64, to stream: Connection, _ exchange: ExchangeAddress
  ) {
    let id = stream.id
    if case .ahead(let last) = stream.confirmEvents(upTo: position) {
      return answer(.refused(Self.ahead(position, of: last)), to: exchange)
    }
    let isTaken = stream.receivePosted(byteCount: message.count) { [unowned self] isOpen in
      guard isOpen, let session = sessions[id] else { return answer(.gone, to: exchange) }
      let error = session.receive(posted: message)
      answer(error.map { .refused($0) } ?? .accepted, to: exchange)
    }
    guard !isTaken else { return }
    let error = ServiceError(
      .rateLimited, "\(Connection.heldMessageLimit) messages of the stream wait: try again later",
      data: ErrorDetails(
        retryAfterMilliseconds: 1_000, limit: Int64(Connection.heldMessageLimit),
        windowMilliseconds: 0, scope: "stream"))
    answer(.refused(error), to: exchange)
  }

  private func read(
    _ reading: StreamReading, of stream: Connection, _ exchange: ExchangeAddress
  ) {
    // A client that is gone already takes nothing from the current reader.
    let isHere = exchange.shard == handle.address
    guard !isHere || streams.requests[Exchange.ID(exchange)] != nil else { return }
    switch stream.resumeEvents(after: reading.after) {
    case .gone:
      counters.add(to: .streamResumesGone)
      return answer(.gone, to: exchange)
    case .ahead(let last):
      counters.add(to: .streamResumesRefused)
      return answer(.refused(Self.ahead(reading.after, of: last)), to: exchange)
    case .resumed:
      if reading.isPoll {
        counters.add(to: .streamPolls)
      } else if reading.after > 0 {
        counters.add(to: .streamResumes)
      }
    }
    // The last event of a closed stream is confirmed: the stream is over.
    guard stream.isOpen || stream.hasWaitingEvents else {
      stream.end()
      return answer(.gone, to: exchange)
    }
    if isHere {
      carry(reading, of: stream, exchange)
    } else {
      relay(reading, of: stream, exchange)
    }
  }

  private static func ahead(_ position: UInt64, of last: UInt64) -> ServiceError {
    .outOfRange("after", Int64(clamping: position), 0...Int64(clamping: last))
  }

  /// Begins a response on this shard that carries events.
  private func carry(
    _ reading: StreamReading, of stream: Connection, _ exchange: ExchangeAddress
  ) {
    let id = Exchange.ID(exchange)
    guard let request = streams.requests.removeValue(forKey: id) else { return }
    let (head, compressed) = (
      request.responses.events(compressed: request.compressed), request.compressed
    )
    guard reading.isPoll else {
      return stream.carryEvents(after: reading.preface, head, compressed: compressed, to: id)
    }
    let body = transport.respond(
      head, withEventsFrom: .stream(stream.id), compressed: compressed, to: id)
    if let body { stream.attach(body) }
  }

  /// Begins a response on another server that carries events.
  private func relay(
    _ reading: StreamReading, of stream: Connection, _ exchange: ExchangeAddress
  ) {
    let reader = RelayedReader(
      of: stream.id, isPoll: reading.isPoll, to: exchange,
      at: edge?.routes.ring.member(slot: exchange.shard.server)?.id, on: self)
    streams.readers[exchange] = reader
    answer(.events(from: handle.address), to: exchange)
    if !reading.isPoll { reading.preface.withUnsafeBytes { reader.take(events: $0) } }
    stream.attach(reader)
  }
}

extension StreamReading {
  /// The bytes before the events.
  ///
  /// The padding is a comment. The event `hello` shows that the response arrives unbuffered.
  fileprivate var preface: [UInt8] {
    var bytes: [UInt8] = []
    if padding > 0 {
      bytes.append(UInt8(ascii: ":"))
      bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: max(padding - 3, 0)))
      bytes += "\n\n".utf8
    }
    bytes += "event: hello\ndata: {\"after\":\(after)}\n\n".utf8
    return bytes
  }
}
