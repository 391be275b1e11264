import Configuration
import Logging
import ParleyProtocol
import Telemetry
import Transport
import HTTP

extension Shard {
  /// Opens a stream with a session, for a request whose body is `session.open`.
  func openStream(_ exchange: Exchange, _ answers: StreamAnswers) -> RequestOutcome {
    let (requester, body) = (exchange.connection, exchange.request.body)
    guard services.stage == .serving, webSocketCount < connectionLimit else {
      return .respond(answers.refusal(.overCapacity))
    }
    if let error = Self.fault(inOpening: body) { return .respond(answers.refusal(error)) }
    let timing = EventStreamTiming(grace: settings.streams.graceSeconds * 1_000)
    let stream: Connection
    switch Connection.openStream(for: requester, timing) {
    case .success(let opened): stream = opened
    case .failure(let refusal):
      counters.add(to: .connectionsOverAddressLimit)
      note(refusal, of: requester)
      return .respond(answers.refusal(.overCapacity))
    }
    gauges.add(1, to: .webSockets)
    let base = FileAddress.base(named: exchange.head, isEncrypted: requester.isEncrypted)
    let session = Session(
      connection: stream, shard: self, keepsContext: false, base: bases.claim(base))
    let (id, exchangeID) = (stream.id, exchange.id)
    stream.begin(session) { [unowned self] answer in
      didOpenStream(id, answer, to: exchangeID, answers)
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
    _ id: ConnectionID, _ answer: [UInt8]?, to exchange: Exchange.ID, _ answers: StreamAnswers
  ) {
    let root = answer.flatMap { try? JSONDocument($0).root }
    if let result = root?["result"] {
      let address = StreamAddress(id, on: handle.address).text(services.streamKey)
      let path = Routes.stream.path(address)
      return transport.respond(answers.opened(path, result: Array(result.raw)), to: exchange)
    }
    let error = root?["error"].flatMap { ServiceError(json: $0) } ?? .overCapacity
    let status: HTTPStatus? = error.code == .invalidAccessToken ? .unauthorized : nil
    transport.respond(answers.refusal(error, status), to: exchange)
    // The session is still at work on its answer.
    returnPath.resume { $0.transport.connection(id)?.end() }
  }

  /// Carries out a request to a stream of this shard.
  func receive(_ call: StreamCall) {
    let answers = call.reply.answers
    guard let stream = transport.connection(call.stream), stream.isStream else {
      if case .read = call.action { counters.add(to: .streamResumesGone) }
      return call.reply.send(answers.gone(), from: self)
    }
    switch call.action {
    case .read(let reading): read(reading, of: stream, call.reply)
    case .post(let message): post(message, to: stream, call.reply)
    case .close:
      guard let session = sessions[call.stream] else {
        return call.reply.send(answers.gone(), from: self)
      }
      session.closeWhenAnswered(.normalClosure, reason: "")
      call.reply.send(answers.closed(), from: self)
    }
  }

  private func post(_ message: [UInt8], to stream: Connection, _ reply: StreamReply) {
    let id = stream.id
    let isTaken = stream.receivePosted(byteCount: message.count) { [unowned self] isOpen in
      guard isOpen, let session = sessions[id] else {
        return reply.send(reply.answers.gone(), from: self)
      }
      if let error = session.receive(posted: message) {
        reply.send(reply.answers.refusal(error), from: self)
      } else {
        reply.send(reply.answers.accepted(), from: self)
      }
    }
    guard !isTaken else { return }
    let error = ServiceError(
      .rateLimited, "\(Connection.heldMessageLimit) messages of the stream wait: try again later",
      data: ErrorDetails(
        retryAfterMilliseconds: 1_000, limit: Int64(Connection.heldMessageLimit),
        windowMilliseconds: 0, scope: "stream"))
    reply.send(reply.answers.refusal(error), from: self)
  }

  private func read(_ reading: StreamReading, of stream: Connection, _ reply: StreamReply) {
    let answers = reply.answers
    switch stream.resumeEvents(after: reading.after) {
    case .gone:
      counters.add(to: .streamResumesGone)
      return reply.send(answers.gone(), from: self)
    case .ahead(let last):
      counters.add(to: .streamResumesRefused)
      return reply.send(
        answers.refusal(
          .outOfRange("after", Int64(clamping: reading.after), 0...Int64(clamping: last))),
        from: self)
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
      return reply.send(answers.gone(), from: self)
    }
    begin(reading, of: stream, reply)
  }

  private func begin(_ reading: StreamReading, of stream: Connection, _ reply: StreamReply) {
    let head = reply.answers.events(compressed: reading.compressed)
    let reader: any EventReader
    if reply.isOn(self) {
      guard transport.isAwaited(reply.exchange) else { return }
      let local = LocalEventReader(
        reply.exchange, isPoll: reading.isPoll, of: stream.id, on: transport)
      transport.respond(
        head, withEventsOf: local, compressed: reading.compressed, to: reply.exchange)
      reader = local
    } else {
      reader = RelayedReader(reading, head, of: stream.id, to: reply, from: self)
    }
    reading.preface.withUnsafeBytes { reader.take($0) }
    stream.attach(reader)
  }
}

extension StreamReading {
  /// The bytes before the events.
  ///
  /// The padding is a comment. The event `hello` shows that the response arrives unbuffered. A poll has
  /// neither.
  fileprivate var preface: [UInt8] {
    guard !isPoll else { return [] }
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
