package import HTTP
import Reactor
import Streams

/// The body of a response that carries events and leaves its connection to later requests: its length is
/// not known before its end.
///
/// It answers a poll of a stream on the same event loop, or carries the events of a stream elsewhere.
package final class EventBody {
  /// The sender of the events, which is asked for more.
  package enum Source {
    case stream(ConnectionID)
    case source(any HTTPBodySource)
  }

  /// The number of unwritten bytes above which nothing is taken.
  package static let highWaterMark = 65_536

  /// The connection of the response; it has the body until the end.
  private unowned let connection: Connection
  private let source: Source
  private var encoding: EventEncoding
  /// Decreases with each byte, as that of a body whose length is known; 0 after the end.
  private(set) var count = Int64.max / 2

  init(of source: Source, on connection: Connection, as encoding: EventEncoding) {
    self.source = source
    self.connection = connection
    self.encoding = encoding
  }

  /// Asks the sender for more.
  fileprivate func request() {
    switch source {
    case .stream(let id): connection.transport.connection(id)?.readerHasRoom(self)
    case .source(let source): source.nextPiece()
    }
  }

  /// Ends a body that is not sent completely.
  func abandon() {
    count = 0
    switch source {
    case .stream(let id): connection.transport.connection(id)?.readerDidEnd(self)
    case .source(let source): source.bodyWasAbandoned()
    }
  }
}

extension EventBody: EventReader {
  package var isPoll: Bool {
    switch source {
    case .stream: true
    case .source: false
    }
  }

  package var waitingByteCount: Int { count > 0 ? connection.queuedByteCount : 0 }

  package func take(events bytes: UnsafeRawBufferPointer) {
    guard count > 0 else { return }
    count -= Int64(bytes.count)
    let transport = connection.transport
    transport.withScratch { output in
      encoding.append(bytes, to: &output, with: transport.deflate)
      output.withUnsafeBytes { connection.write($0) }
    }
  }

  package func endResponse() {
    guard count > 0 else { return }
    count = 0
    connection.transport.withScratch { output in
      encoding.appendEnd(to: &output)
      output.withUnsafeBytes { connection.write($0) }
    }
    connection.scheduleFlush()
  }
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
    let encoding = EventEncoding(for: pending.request.head, compressed: compressed)
    let persistence =
      encoding.isChunked ? persistence(after: head, to: pending.request) : .close
    var bytes: [UInt8] = []
    encoding.append(transport.dated(head), for: persistence, to: &bytes)
    append(bytes)
    Socket.limitUnsentBytes(stream.descriptor, to: OutgoingBody.unsentLimit)
    let body = EventBody(of: source, on: self, as: encoding)
    enter(.sending(OutgoingBody(.events(body), after: pending, persistence)))
    awaitProgress()
    return body
  }

  /// Asks for more events when little is left to write.
  func requestEvents() {
    guard case .sending(let outgoing) = stage, case .events(let body) = outgoing.content,
      body.count > 0, body.takesMore
    else { return }
    body.request()
  }
}
