import Basics
import HTTP1
import Reactor
import Streams

/// Files that are sent as they are on disk: never more of one in memory than a step.
extension Connection {
  /// Answers the request for which the delegate has promised a response, with a file as the body.
  ///
  /// Does nothing when the request is no longer open.
  func respond(_ head: HTTPResponse, with file: FileSpan) {
    guard case .answering(let pending) = stage else { return }
    let persistence = peerHasEnded ? .close : persistence(after: head, to: pending.request)
    var bytes: [UInt8] = []
    head.serializeHead(into: &bytes, for: persistence, contentLength: file.count)
    append(bytes)
    let content = pending.request.head.method == "HEAD" ? file.dropped() : file
    enter(.sending(OutgoingFile(file: content, pending: pending, persistence: persistence)))
    awaitProgress()
  }

  /// Moves the next bytes of a file to the socket, or with TLS to the queue for encryption.
  ///
  /// - Parameter budget: How many bytes this turn may still move.
  /// - Returns: Whether there is something to write now.
  func moveFile(_ budget: inout Int) -> Bool {
    guard case .sending(var outgoing) = stage, outgoing.file.count > 0, budget > 0 else {
      return false
    }
    return stream.isEncrypted ? encrypt(&outgoing, &budget) : send(&outgoing, &budget)
  }

  /// Goes on with the next request, once the file has been written.
  func completeFile() {
    guard case .sending(let outgoing) = stage, outgoing.file.count == 0, queuedByteCount == 0 else {
      return
    }
    enter(.http(outgoing.pending.parser))
    switch outgoing.persistence {
    case .close: finish()
    case .keepAlive:
      awaitHead()
      resumeReading()
      applicationByteCount = 0
      outgoing.pending.held.withUnsafeBytes { process($0) }
    }
  }

  private func send(_ outgoing: inout OutgoingFile, _ budget: inout Int) -> Bool {
    while budget > 0, outgoing.file.count > 0 {
      transport.counters.writes += 1
      switch outgoing.file.send(to: stream.descriptor, atMost: budget) {
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
    enter(.sending(outgoing))
    return false
  }

  private func encrypt(_ outgoing: inout OutgoingFile, _ budget: inout Int) -> Bool {
    guard let bytes = try? outgoing.file.next(atMost: min(budget, OutgoingFile.step)),
      !bytes.isEmpty
    else {
      // The head has promised more than there is: only the end of the connection can tell.
      drop()
      return false
    }
    bytes.withUnsafeBytes { stream.append($0) }
    budget -= bytes.count
    enter(.sending(outgoing))
    return true
  }
}

/// A file on its way to the peer after the head of a response.
struct OutgoingFile {
  /// The largest number of bytes that the connection moves in one turn.
  static let slice = 262_144
  /// The number of bytes read into memory at a time when they have to be encrypted.
  static let step = 65_536

  /// The rest of the file.
  var file: FileSpan
  /// The request that it answers, with the input after the request.
  var pending: PendingRequest
  var persistence: ConnectionPersistence
}
