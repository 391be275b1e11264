import HTTP
import Reactor
import Transport

/// A reader whose request is on another shard than its stream: the end at the stream.
final class RelayedReader: EventReader {
  let isPoll: Bool
  /// The bytes that the other shard has not written.
  private(set) var waitingByteCount = 0
  private let reply: StreamReply

  init(
    _ reading: StreamReading, _ head: HTTPResponse, of stream: ConnectionID, to reply: StreamReply,
    from shard: Shard
  ) {
    self.reply = reply
    isPoll = reading.isPoll
    let (reader, path) = (LoopBound(self), shard.returnPath)
    reply.resume { shard in
      let events = RelayedEvents(reader, of: stream, by: path, to: reply.exchange, on: shard)
      shard.relayedEvents[reply.exchange] = events
      shard.transport.respond(
        head, withEventsOf: events, compressed: reading.compressed, to: reply.exchange)
    }
  }

  var hasRoom: Bool { waitingByteCount <= LocalEventReader.highWaterMark }

  func take(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    waitingByteCount += bytes.count
    let (exchange, copy) = (reply.exchange, Array(bytes))
    reply.resume { $0.relayedEvents[exchange]?.forward(copy) }
  }

  func end() {
    let exchange = reply.exchange
    reply.resume { $0.relayedEvents[exchange]?.end() }
  }

  /// Records that the other shard has written bytes.
  func didWrite(_ count: Int) { waitingByteCount -= count }
}

/// A reader whose request is on another shard than its stream: the end at the request.
final class RelayedEvents: HTTPBodySource {
  private unowned let shard: Shard
  private let exchange: Exchange.ID
  private let reader: LoopBound<RelayedReader>
  private let stream: ConnectionID
  private let path: ReturnPath
  private var unreported = 0

  /// - Parameter path: The way to the shard of the stream.
  init(
    _ reader: LoopBound<RelayedReader>, of stream: ConnectionID, by path: ReturnPath,
    to exchange: Exchange.ID, on shard: Shard
  ) {
    self.reader = reader
    self.stream = stream
    self.path = path
    self.exchange = exchange
    self.shard = shard
  }

  func forward(_ bytes: [UInt8]) {
    unreported += bytes.count
    bytes.withUnsafeBytes { shard.transport.continueEvents(of: exchange, with: $0) }
  }

  func end() {
    shard.relayedEvents[exchange] = nil
    shard.transport.endEvents(of: exchange)
  }

  func nextPiece() {
    guard unreported > 0 else { return }
    let (count, reader, stream) = (unreported, reader, stream)
    unreported = 0
    path.resume { shard in
      reader.value.didWrite(count)
      shard.transport.connection(stream)?.readerHasRoom(reader.value)
    }
  }

  func bodyWasAbandoned() {
    shard.relayedEvents[exchange] = nil
    let (reader, stream) = (reader, stream)
    path.resume { $0.transport.connection(stream)?.readerDidEnd(reader.value) }
  }
}
