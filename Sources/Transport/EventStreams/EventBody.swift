package import HTTP
import Reactor
import Streams

/// The body of a response that carries events: its length is not known before its end.
///
/// An object, because a stage of a connection is copied when it changes.
final class EventBody {
  /// The way in which the client recognises the end.
  enum Framing {
    case chunked
    /// HTTP/1.0: by the end of the connection.
    case untilClose
  }

  let source: any HTTPBodySource
  let framing: Framing
  /// `nil` when the body is not compressed.
  var compression: GzipParts?
  /// Decreases with each byte, as that of a body whose length is known; 0 after the end.
  var count = Int64.max / 2

  init(of source: any HTTPBodySource, _ framing: Framing, _ compression: GzipParts?) {
    self.source = source
    self.framing = framing
    self.compression = compression
  }
}

/// Answers requests with bodies of events.
extension Transport {
  /// Sends the head of a response whose body of events follows, in pieces.
  ///
  /// - Parameter compressed: Whether the body is sent with gzip, which the head must declare.
  package func respond(
    _ head: HTTPResponse, withEventsOf source: any HTTPBodySource, compressed: Bool,
    to id: Exchange.ID
  ) {
    guard let connection = connection(awaiting: id) else { return source.bodyWasAbandoned() }
    connection.respond(head, withEventsOf: source, compressed: compressed)
  }

  /// Sends whole events.
  package func continueEvents(of id: Exchange.ID, with bytes: UnsafeRawBufferPointer) {
    connections[id.connection]?.continueEvents(bytes, of: id.number)
  }

  /// Ends the body.
  package func endEvents(of id: Exchange.ID) {
    connections[id.connection]?.endEvents(of: id.number)
  }
}

extension Connection {
  /// Answers the request for which the delegate has promised a response.
  func respond(
    _ head: HTTPResponse, withEventsOf source: any HTTPBodySource, compressed: Bool
  ) {
    guard case .answering(let pending) = stage else { return source.bodyWasAbandoned() }
    let isChunked = pending.request.head.version == .http11
    let persistence = isChunked ? persistence(after: head, to: pending.request) : .close
    var head = transport.dated(head)
    if isChunked { head.fields.append("Transfer-Encoding", "chunked") }
    var bytes: [UInt8] = []
    head.serializeHeadOfUnknownLength(into: &bytes, for: persistence)
    append(bytes)
    Socket.limitUnsentBytes(stream.descriptor, to: OutgoingBody.unsentLimit)
    let body = EventBody(
      of: source, isChunked ? .chunked : .untilClose, compressed ? GzipParts() : nil)
    enter(
      .sending(OutgoingBody(content: .events(body), pending: pending, persistence: persistence)))
    awaitProgress()
  }

  func continueEvents(_ bytes: UnsafeRawBufferPointer, of exchange: UInt64) {
    // An empty chunk would end the body.
    guard !bytes.isEmpty, let body = eventBody(of: exchange) else { return }
    body.count -= Int64(bytes.count)
    guard body.compression != nil else { return append(bytes, as: body.framing) }
    let compressed = body.compression?.compress(bytes, with: transport.deflate) ?? []
    compressed.withUnsafeBytes { append($0, as: body.framing) }
  }

  func endEvents(of exchange: UInt64) {
    guard let body = eventBody(of: exchange) else { return }
    body.count = 0
    if let trailer = body.compression?.end() {
      trailer.withUnsafeBytes { append($0, as: body.framing) }
    }
    if body.framing == .chunked { append(Array("0\r\n\r\n".utf8)) }
    scheduleFlush()
  }

  /// The unfinished body of the answer to a request.
  private func eventBody(of exchange: UInt64) -> EventBody? {
    guard case .sending(let outgoing) = stage, outgoing.pending.exchange == exchange,
      case .events(let body) = outgoing.content, body.count > 0
    else { return nil }
    return body
  }

  private func append(_ bytes: UnsafeRawBufferPointer, as framing: EventBody.Framing) {
    guard framing == .chunked else { return append(bytes) }
    withUnsafeTemporaryAllocation(byteCount: 18, alignment: 1) { line in
      var start = line.count - 2
      line[start] = 0x0d
      line[start + 1] = 0x0a
      var rest = bytes.count
      repeat {
        start -= 1
        line[start] = Self.hexDigits[rest & 0xf]
        rest >>= 4
      } while rest > 0
      append(UnsafeRawBufferPointer(rebasing: line[start...]))
    }
    append(bytes)
    append(Self.lineEnd)
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
  private static let lineEnd = Array("\r\n".utf8)

  /// Asks for more events when little is left to write.
  func requestEvents() {
    guard case .sending(let outgoing) = stage, case .events(let body) = outgoing.content,
      body.count > 0, queuedByteCount <= LocalEventReader.highWaterMark
    else { return }
    body.source.nextPiece()
  }
}
