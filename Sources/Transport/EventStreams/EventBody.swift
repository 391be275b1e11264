package import HTTP
import Reactor
import Streams

/// The body of a response that carries events: its length is not known before its end.
///
/// It is the reader of a stream on the same event loop, or carries the events of a stream elsewhere.
package final class EventBody {
  /// The sender of the events, which is asked for more.
  package enum Source {
    case stream(ConnectionID, isPoll: Bool)
    case source(any HTTPBodySource)
  }

  /// The number of unwritten bytes above which nothing is taken.
  package static let highWaterMark = 65_536

  /// The way in which the client recognises the end.
  enum Framing {
    case chunked
    /// HTTP/1.0: by the end of the connection.
    case untilClose
  }

  /// The connection of the response; it has the body until the end.
  private unowned let connection: Connection
  private let source: Source
  private let framing: Framing
  /// `nil` when the body is not compressed.
  private var compression: GzipParts?
  /// Decreases with each byte, as that of a body whose length is known; 0 after the end.
  private(set) var count = Int64.max / 2

  init(
    of source: Source, on connection: Connection, _ framing: Framing,
    _ compression: GzipParts?
  ) {
    self.source = source
    self.connection = connection
    self.framing = framing
    self.compression = compression
  }

  /// The number of bytes that are not written.
  package var waitingByteCount: Int { count > 0 ? connection.queuedByteCount : 0 }

  /// Whether little waits to be written.
  package var hasRoom: Bool { waitingByteCount <= Self.highWaterMark }

  /// Sends events, or parts of them.
  package func take(_ bytes: UnsafeRawBufferPointer) {
    // An empty chunk would end the body.
    guard !bytes.isEmpty, count > 0 else { return }
    count -= Int64(bytes.count)
    guard compression != nil else { return write(bytes) }
    let compressed = compression?.compress(bytes, with: connection.transport.deflate) ?? []
    compressed.withUnsafeBytes { write($0) }
  }

  /// Ends the body.
  package func end() {
    guard count > 0 else { return }
    if let trailer = compression?.end() { trailer.withUnsafeBytes { write($0) } }
    count = 0
    if framing == .chunked { connection.append(Self.lastChunk) }
    connection.scheduleFlush()
  }

  /// Asks the sender for more.
  fileprivate func request() {
    switch source {
    case .stream(let id, _): connection.transport.connection(id)?.readerHasRoom(self)
    case .source(let source): source.nextPiece()
    }
  }

  /// Ends a body that is not sent completely.
  func abandon() {
    count = 0
    switch source {
    case .stream(let id, _): connection.transport.connection(id)?.readerDidEnd(self)
    case .source(let source): source.bodyWasAbandoned()
    }
  }

  /// The socket to which chunks may be written at once; -1 when there is none.
  var descriptor: Int32 {
    let isPlain = framing == .chunked && compression == nil && count > 0
    return isPlain ? connection.writableDescriptor : -1
  }

  /// Sends the rest of a chunk that the socket did not accept.
  func sendWasShort(_ outcome: TransferOutcome, of chunk: UnsafeRawBufferPointer) {
    connection.sendWasShort(outcome, of: chunk)
  }

  private func write(_ bytes: UnsafeRawBufferPointer) {
    guard framing == .chunked else { return connection.write(bytes) }
    connection.transport.withScratch { chunk in
      Self.beginChunk(byteCount: bytes.count, in: &chunk)
      chunk.append(contentsOf: bytes)
      Self.endChunk(&chunk)
      chunk.withUnsafeBytes { connection.write($0) }
    }
  }

  /// Appends the length of a chunk (RFC 9112 §7.1), whose bytes follow.
  static func beginChunk(byteCount: Int, in chunk: inout [UInt8]) {
    var shift = (max(Int.bitWidth - byteCount.leadingZeroBitCount, 1) + 3) / 4 * 4
    repeat {
      shift -= 4
      chunk.append(hexDigits[byteCount >> shift & 0xf])
    } while shift > 0
    chunk.append(contentsOf: lineEnd)
  }

  static func endChunk(_ chunk: inout [UInt8]) { chunk.append(contentsOf: lineEnd) }

  private static let hexDigits = Array("0123456789abcdef".utf8)
  private static let lineEnd = Array("\r\n".utf8)
  private static let lastChunk = Array("0\r\n\r\n".utf8)
}

extension EventBody: EventReader {
  package var isPoll: Bool {
    switch source {
    case .stream(_, let isPoll): isPoll
    case .source: false
    }
  }

  package var localBody: EventBody? { isPoll ? nil : self }
}

extension Transport {
  /// Sends the head of a response whose body of events follows.
  ///
  /// - Parameter compressed: Whether the body is sent with gzip, which the head must declare.
  /// - Returns: The body; `nil` when its client is gone.
  package func respond(
    _ head: HTTPResponse, withEventsFrom source: EventBody.Source, compressed: Bool,
    to id: Exchange.ID
  ) -> EventBody? {
    connection(awaiting: id)?.respond(head, withEventsFrom: source, compressed: compressed)
  }
}

extension Connection {
  /// Answers the request for which the delegate has promised a response.
  func respond(
    _ head: HTTPResponse, withEventsFrom source: EventBody.Source, compressed: Bool
  ) -> EventBody? {
    guard case .answering(let pending) = stage else { return nil }
    let isChunked = pending.request.head.version == .http11
    let persistence = isChunked ? persistence(after: head, to: pending.request) : .close
    var head = transport.dated(head)
    if isChunked { head.fields.append("Transfer-Encoding", "chunked") }
    var bytes: [UInt8] = []
    head.serializeHeadOfUnknownLength(into: &bytes, for: persistence)
    append(bytes)
    Socket.limitUnsentBytes(stream.descriptor, to: OutgoingBody.unsentLimit)
    let body = EventBody(
      of: source, on: self, isChunked ? .chunked : .untilClose, compressed ? GzipParts() : nil)
    enter(.sending(OutgoingBody(.events(body), after: pending, persistence)))
    awaitProgress()
    return body
  }

  /// Asks for more events when little is left to write.
  func requestEvents() {
    guard case .sending(let outgoing) = stage, case .events(let body) = outgoing.content,
      body.count > 0, queuedByteCount <= EventBody.highWaterMark
    else { return }
    body.request()
  }
}
