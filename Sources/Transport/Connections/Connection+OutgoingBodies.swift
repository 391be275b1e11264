import HTTP1
import Reactor
import Streams

/// Bodies that are sent bit by bit: files as they are on disk, and pieces as they come from elsewhere.
///
/// Never more of one in memory than a step or a piece and a half.
extension Connection {
  /// Answers the request for which the delegate has promised a response, with a body to follow.
  ///
  /// A body that is not wanted is abandoned at once: after `HEAD`, or when the request is no longer
  /// open.
  func respond(_ head: HTTPResponse, with content: OutgoingBody.Content) {
    guard case .answering(let pending) = stage else { return content.abandon() }
    let persistence = peerHasEnded ? .close : persistence(after: head, to: pending.request)
    var bytes: [UInt8] = []
    transport.dated(head).serializeHead(
      into: &bytes, for: persistence, contentLength: content.count)
    append(bytes)
    let content = pending.request.head.method == "HEAD" ? content.dropped() : content
    // Megabytes otherwise, for a client that begins a download and does not read.
    Socket.limitUnsentBytes(stream.descriptor, to: OutgoingBody.unsentLimit)
    enter(.sending(OutgoingBody(content: content, pending: pending, persistence: persistence)))
    awaitProgress()
  }

  /// Moves the next bytes of a file to the socket, or with TLS to the queue for encryption.
  ///
  /// - Parameter budget: How many bytes this turn may still move.
  /// - Returns: Whether there is something to write now.
  func moveFile(_ budget: inout Int) -> Bool {
    guard case .sending(var outgoing) = stage, case .file(let file) = outgoing.content,
      file.count > 0, budget > 0
    else { return false }
    return stream.isEncrypted
      ? encrypt(file, of: &outgoing, &budget) : send(file, of: &outgoing, &budget)
  }

  /// Goes on with the next request, once the body has been written.
  func completeBody() {
    guard case .sending(let outgoing) = stage, outgoing.count == 0, queuedByteCount == 0 else {
      return
    }
    enter(.http(outgoing.pending.parser))
    switch outgoing.persistence {
    case .close: finish()
    case .keepAlive:
      Socket.limitUnsentBytes(stream.descriptor, to: 0)
      awaitNextRequest()
      resumeReading()
      applicationByteCount = 0
      outgoing.pending.held.withUnsafeBytes { process($0) }
    }
  }

  private func send(
    _ file: FileSpan, of outgoing: inout OutgoingBody, _ budget: inout Int
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
    enter(.sending(outgoing))
    return false
  }

  private func encrypt(
    _ file: FileSpan, of outgoing: inout OutgoingBody, _ budget: inout Int
  ) -> Bool {
    var file = file
    guard let bytes = try? file.next(atMost: min(budget, OutgoingBody.step)), !bytes.isEmpty else {
      // The head has promised more than there is: only the end of the connection can tell.
      drop()
      return false
    }
    bytes.withUnsafeBytes { stream.append($0) }
    budget -= bytes.count
    outgoing.content = .file(file)
    enter(.sending(outgoing))
    return true
  }
}

/// Bodies that come in pieces.
extension Connection {
  /// Asks for the next piece when little of the last one is left.
  func requestPiece() {
    guard case .sending(var outgoing) = stage, case .pieces(var body) = outgoing.content,
      body.isPieceWanted, queuedByteCount <= OutgoingBody.lowWaterMark
    else { return }
    body.isAwaited = true
    outgoing.content = .pieces(body)
    enter(.sending(outgoing))
    body.source.nextPiece()
  }

  /// Appends the piece that was asked for; one that does not fit into the body breaks it.
  func continueBody(_ piece: [UInt8], of exchange: UInt64) {
    guard case .sending(var outgoing) = stage, outgoing.pending.exchange == exchange,
      case .pieces(var body) = outgoing.content
    else { return }
    guard !piece.isEmpty, piece.count <= body.count else { return drop() }
    body.isAwaited = false
    body.count -= Int64(piece.count)
    outgoing.content = .pieces(body)
    enter(.sending(outgoing))
    append(piece)
  }

  /// Ends a body whose rest is not available: only the end of the connection can say so.
  func breakBody(of exchange: UInt64) {
    guard case .sending(let outgoing) = stage, outgoing.pending.exchange == exchange else { return }
    drop()
  }
}

/// A source of a body in pieces; called on the transport's event loop only.
package protocol HTTPBodySource: AnyObject {
  /// Asks for the next bytes, of which there are some left: ``Transport/continueBody(of:with:)`` or
  /// ``Transport/breakBody(of:)`` is to follow.
  func nextPiece()

  /// Ends a body of which no more is wanted. Called at most once, and not after the last piece.
  func bodyWasAbandoned()
}

/// A body on its way to the peer after the head of a response.
struct OutgoingBody {
  /// The rest of the body.
  enum Content {
    case file(FileSpan)
    case pieces(PiecedBody)

    /// The bytes that are left.
    var count: Int64 {
      switch self {
      case .file(let file): file.count
      case .pieces(let body): body.count
      }
    }

    /// Nothing of it.
    func dropped() -> Content {
      abandon()
      switch self {
      case .file(let file): return .file(file.dropped())
      case .pieces(let body): return .pieces(PiecedBody(count: 0, source: body.source))
      }
    }

    /// Notifies the source of a body that is not sent whole.
    func abandon() {
      guard case .pieces(let body) = self, body.count > 0 else { return }
      body.source.bodyWasAbandoned()
    }
  }

  /// The largest number of bytes that the connection moves in one turn.
  static let slice = 262_144
  /// The number of bytes read into memory at a time when they have to be encrypted.
  static let step = 65_536
  /// The number of queued bytes up to which another piece is asked for.
  static let lowWaterMark = 131_072
  /// The bytes that the kernel takes before it can send them.
  static let unsentLimit: Int32 = 131_072

  var content: Content
  /// The request that it answers, with the input after the request.
  var pending: PendingRequest
  var persistence: ConnectionPersistence

  /// The bytes that are left.
  var count: Int64 { content.count }
}

/// The rest of a body that comes in pieces.
struct PiecedBody {
  /// The bytes that have not come.
  var count: Int64
  /// Whether a piece was asked for.
  var isAwaited = false
  let source: any HTTPBodySource

  init(count: Int64, source: any HTTPBodySource) {
    self.count = count
    self.source = source
  }

  var isPieceWanted: Bool { count > 0 && !isAwaited }
}
