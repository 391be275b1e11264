import Reactor

/// The client's end of a connection whose events are carried by responses: the events, and the response
/// that carries them at the moment.
///
/// Confined to its transport's event loop.
final class EventStream {
  /// The number of posted messages that wait while nothing is read.
  static let heldMessageLimit = 8
  /// The interval in milliseconds of the comments that keep a response alive.
  static let commentInterval: Int64 = 15_000
  /// The longest time in milliseconds for which a poll waits for an event.
  static let pollTimeout: Int64 = 25_000

  /// A message that is received once reading resumes.
  struct HeldMessage {
    let byteCount: Int
    /// Called once: with `false` when the stream has ended.
    let receive: (_ isOpen: Bool) -> Void
  }

  /// The socket of the connection, as long as events may be written to it at once; otherwise -1.
  var descriptor: Int32 = -1
  var buffer = EventBuffer()
  /// This stream's part of the transport's total.
  private var accountedByteCount = 0
  /// The response on another connection that carries the events; `nil` when there is none.
  var reader: (any EventReader)?
  /// The form in which the response on the connection's own socket carries the events; `nil` without one.
  var encoding: EventEncoding?
  /// The address of the client's last request that carried events, or else of the one that opened the stream.
  var client: PeerAddress?
  var held: [HeldMessage] = []
  /// Receives the answer to the first message, which opens the stream; `nil` once it is answered.
  var opening: ((_ answer: [UInt8]?) -> Void)?
  /// Whether the client wants nothing after the end of the stream: it has ended the stream itself.
  var isReleased = false
  /// Whether events wait for the end of the turn.
  var isListed = false
  /// The time in milliseconds for which the stream stays open without a reader.
  let grace: Int64

  init(of client: PeerAddress?, grace: Int64) {
    self.client = client
    self.grace = grace
  }

  /// Bytes in memory.
  var byteCount: Int { held.reduce(buffer.memory) { $0 + $1.byteCount } }

  /// Adds a change of the stream's memory to the transport's total.
  func account(in transport: Transport) {
    let count = held.isEmpty ? buffer.memory : byteCount
    transport.heldByteCount += count - accountedByteCount
    accountedByteCount = count
  }

  /// Appends the events of a fan-out, which are written to the socket as one chunk.
  func append(written batch: EventBatch, to chunk: inout [UInt8], in transport: Transport) {
    EventEncoding.beginChunk(byteCount: buffer.byteCount(of: batch), in: &chunk)
    buffer.append(taken: batch, into: &chunk)
    EventEncoding.endChunk(&chunk)
    account(in: transport)
  }
}

/// An HTTP response that carries the events of a stream to its client.
///
/// Called only on the event loop of the stream. The reader calls ``Connection/readerHasRoom(_:)`` when it
/// can take more, and ``Connection/readerDidEnd(_:)`` when its client is gone.
package protocol EventReader: AnyObject {
  /// Whether the request is answered with the events that exist, without waiting for later ones.
  var isPoll: Bool { get }
  /// The number of taken bytes that are not written.
  var waitingByteCount: Int { get }
  /// Whether more bytes may be taken now.
  var takesMore: Bool { get }
  /// Sends bytes to the client, whole events or a comment.
  func take(events bytes: UnsafeRawBufferPointer)
  /// Ends the response after the bytes that were taken.
  func endResponse()
}

extension EventReader {
  /// Whether little waits to be written.
  package var takesMore: Bool { waitingByteCount <= EventBody.highWaterMark }
}
