import HTTP
import Reactor
import Streams

/// Sends bodies gradually: files from disk, and pieces as their source supplies them.
///
/// At most one step, or one and a half pieces, is in memory at a time.
extension Connection {
  /// Answers the request for which the delegate has promised a response, with a body to follow.
  ///
  /// The body is abandoned immediately when it is not needed: after `HEAD`, or when the request is no
  /// longer open.
  func respond(_ head: HTTPResponse, with content: OutgoingBody.Content) {
    guard case .answering(let pending) = stage else { return content.abandon() }
    let persistence = peerHasEnded ? .close : persistence(after: head, to: pending.request)
    var bytes: [UInt8] = []
    transport.dated(head).serializeHead(
      into: &bytes, for: persistence, contentLength: content.count)
    append(bytes)
    let content = pending.request.head.method == "HEAD" ? content.dropped() : content
    // Otherwise the kernel would buffer megabytes for a client that begins a download and does not read.
    Socket.limitUnsentBytes(stream.descriptor, to: OutgoingBody.unsentLimit)
    enter(.sending(OutgoingBody(content, after: pending, persistence)))
    awaitProgress()
  }

  /// Moves the next bytes of a file to the socket, or with TLS to the queue for encryption.
  ///
  /// - Parameter budget: The number of bytes that may still be moved in this turn.
  /// - Returns: Whether there are bytes to write now.
  func moveFile(_ budget: inout Int) -> Bool {
    guard case .sending(let outgoing) = stage, case .file(let file) = outgoing.content,
      file.count > 0, budget > 0
    else { return false }
    return stream.isEncrypted
      ? encrypt(file, of: outgoing, &budget) : send(file, of: outgoing, &budget)
  }

  /// Continues with the next request after the body has been written.
  func completeBody() {
    guard case .sending(let outgoing) = stage, outgoing.count == 0, queuedByteCount == 0 else {
      return
    }
    enter(Self.nextRequest(on: transport))
    switch outgoing.persistence {
    case .close: finish()
    case .keepAlive:
      Socket.limitUnsentBytes(stream.descriptor, to: 0)
      awaitNextRequest()
      resumeReading()
      applicationByteCount = 0
      outgoing.held.withUnsafeBytes { process($0) }
    }
  }

  private func send(
    _ file: FileSpan, of outgoing: OutgoingBody, _ budget: inout Int
  ) -> Bool {
    var file = file
    while budget > 0, file.count > 0 {
      transport.counters.writes += 1
      switch file.send(to: stream.descriptor, atMost: budget) {
      case .transferred(let count):
        transport.counters.bytesSent += count
        noteLife()
        budget -= count
      case .wouldBlock: budget = 0
      case .ended, .failed:
        drop()
        return false
      }
    }
    outgoing.content = .file(file)
    return false
  }

  private func encrypt(
    _ file: FileSpan, of outgoing: OutgoingBody, _ budget: inout Int
  ) -> Bool {
    var file = file
    guard let bytes = try? file.next(atMost: min(budget, OutgoingBody.step)), !bytes.isEmpty else {
      // The head declared more bytes than there are: only closing the connection can signal that.
      drop()
      return false
    }
    bytes.withUnsafeBytes { stream.append($0) }
    budget -= bytes.count
    outgoing.content = .file(file)
    return true
  }
}

/// Sends bodies that arrive in pieces.
extension Connection {
  /// Requests the next piece when little of the last one is left.
  func requestPiece() {
    guard case .sending(let outgoing) = stage else { return takeWaitingEvents() }
    if outgoing.isEndless { return requestEvents() }
    guard case .pieces(var body) = outgoing.content,
      body.isPieceWanted, queuedByteCount <= OutgoingBody.lowWaterMark
    else { return }
    body.isAwaited = true
    outgoing.content = .pieces(body)
    body.source.nextPiece()
  }

  /// Appends the requested piece.
  ///
  /// A piece that does not fit into the body breaks it.
  func continueBody(_ piece: [UInt8], of exchange: UInt64) {
    guard case .sending(let outgoing) = stage, outgoing.exchange == exchange,
      case .pieces(var body) = outgoing.content
    else { return }
    guard !piece.isEmpty, piece.count <= body.count else { return drop() }
    body.isAwaited = false
    body.count -= Int64(piece.count)
    outgoing.content = .pieces(body)
    append(piece)
  }

  /// Ends a body whose rest is not available.
  ///
  /// Only closing the connection can signal that.
  func breakBody(of exchange: UInt64) {
    guard case .sending(let outgoing) = stage, outgoing.exchange == exchange else { return }
    drop()
  }
}

/// A source of a body in pieces; called only on the transport's event loop.
package protocol HTTPBodySource: AnyObject {
  /// Requests the next bytes, of which at least one is left. The source then calls
  /// ``Transport/continueBody(of:with:)`` or ``Transport/breakBody(of:)``.
  func nextPiece()

  /// Ends a body that is no longer needed. Called at most once, and not after the last piece.
  func bodyWasAbandoned()
}

/// A body that is sent to the peer after the head of a response.
///
/// An object: a stage is copied whenever it is looked at.
final class OutgoingBody {
  /// The rest of the body.
  enum Content {
    case file(FileSpan)
    case pieces(PiecedBody)
    case events(EventBody)

    /// The number of remaining bytes.
    var count: Int64 {
      switch self {
      case .file(let file): file.count
      case .pieces(let body): body.count
      case .events(let body): body.count
      }
    }

    /// Abandons the rest, and returns empty content.
    func dropped() -> Content {
      abandon()
      switch self {
      case .file(let file): return .file(file.dropped())
      case .pieces(let body): return .pieces(PiecedBody(count: 0, source: body.source))
      case .events: return self
      }
    }

    /// Notifies the source of a body that is not sent completely.
    func abandon() {
      guard count > 0 else { return }
      switch self {
      case .file: break
      case .pieces(let body): body.source.bodyWasAbandoned()
      case .events(let body): body.abandon()
      }
    }
  }

  /// The largest number of bytes that the connection moves in one turn.
  static let slice = 262_144
  /// The number of bytes read into memory at a time when they have to be encrypted.
  static let step = 65_536
  /// The number of queued bytes up to which another piece is requested.
  static let lowWaterMark = 131_072
  /// The number of unsent bytes that the kernel buffers.
  static let unsentLimit: Int32 = 131_072

  var content: Content
  var persistence: ConnectionPersistence
  /// The number of the exchange that the body is a part of.
  let exchange: UInt64
  /// The bytes received after the request.
  var held: [UInt8]

  init(_ content: Content, after pending: PendingRequest, _ persistence: ConnectionPersistence) {
    self.content = content
    self.persistence = persistence
    exchange = pending.exchange
    held = pending.held
  }

  /// The number of remaining bytes.
  var count: Int64 { content.count }

  /// Whether the body ends only when its source ends it.
  var isEndless: Bool {
    if case .events(let body) = content { body.count > 0 } else { false }
  }
}

/// The rest of a body that arrives in pieces.
struct PiecedBody {
  /// The number of bytes that have not arrived.
  var count: Int64
  /// Whether a piece was requested.
  var isAwaited = false
  let source: any HTTPBodySource

  var isPieceWanted: Bool { count > 0 && !isAwaited }
}
