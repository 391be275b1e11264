package import HTTP
import Reactor
import Streams

/// The socket of a stream, taken over from the connection of the request whose response carries its events,
/// so that an idle stream is one connection, like a WebSocket.
///
/// It serves no other request: it is closed after the response.
extension Connection {
  /// Answers a request with the events of this stream.
  ///
  /// Does nothing when the client of the request is gone.
  ///
  /// - Parameters:
  ///   - compressed: Whether the body is sent with gzip, which the head must declare.
  ///   - preface: The bytes before the first event.
  package func carryEvents(
    after preface: [UInt8], _ head: HTTPResponse, compressed: Bool, to id: Exchange.ID
  ) {
    guard let events, let requester = transport.connection(awaiting: id),
      case .answering(let pending) = requester.stage
    else { return }
    endReader(of: events)
    events.client = requester.clientAddress ?? events.client
    var (encoding, bytes) = (
      EventEncoding(for: pending.request.head, compressed: compressed), [UInt8]()
    )
    encoding.append(transport.dated(head), for: .close, to: &bytes)
    preface.withUnsafeBytes { encoding.append($0, to: &bytes, with: transport.deflate) }
    events.encoding = encoding
    stream = requester.endWithoutSocket()
    do throws(SystemError) {
      try watchSocket()
    } catch {
      return loseReader()
    }
    Socket.limitUnsentBytes(descriptor, to: OutgoingBody.unsentLimit)
    awaitReader(events, self, unwrittenSince: nil)
    bytes.withUnsafeBytes { write($0) }
    pumpEvents()
  }

  /// Ends the response whose client is gone or does not read.
  func loseReader() {
    guard let events, descriptor >= 0 else { return }
    stream.close(on: transport.loop)
    account()
    transport.configuration.sockets?.budget(of: admission.pool).give()
    readerWasLost(events)
  }

  /// Ends the response if more than `limit` bytes wait to be written.
  func shedReader(beyond limit: Int) {
    if queuedByteCount > limit { loseReader() }
  }

  /// Takes waiting events when little is left to write.
  func takeWaitingEvents() {
    if let events, events.buffer.hasWaiting { readerHasRoom(self) }
  }
}

extension Connection: EventReader {
  package var isPoll: Bool { false }

  package var waitingByteCount: Int { queuedByteCount }

  package func take(events bytes: UnsafeRawBufferPointer) {
    transport.withScratch { output in
      events?.encoding?.append(bytes, to: &output, with: transport.deflate)
      output.withUnsafeBytes { write($0) }
    }
  }

  /// Ends the response; another connection writes its last bytes and waits for the end of the client's side.
  package func endResponse() {
    transport.withScratch { output in
      events?.encoding?.appendEnd(to: &output)
      output.withUnsafeBytes { write($0) }
    }
    guard descriptor >= 0 else { return }
    let rest = Connection.insert(
      giveUpSocket(), tag: listenerTag, pool: admission.pool, into: transport)
    let peer = clientAddress.map { ProxiedPeer(announced: $0) }
    if rest.takeOverSocket(from: peer) { rest.finish() }
  }
}
