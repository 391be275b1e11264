import HTTP
import Reactor
import Streams

extension Connection {
  /// Sends a text message.
  package func send(text: [UInt8]) {
    guard isOpen else { return }
    var frame: [UInt8] = []
    transport.appendFrame(text: text, encoding: encoding, into: &frame)
    enqueue(frame)
  }

  /// Sends whole frames that are already in this connection's ``encoding``.
  package func send(frames: [UInt8]) {
    guard isOpen else { return }
    enqueue(frames)
  }

  /// Sends a message with this connection's own compression contexts, if it keeps any.
  package func send(_ message: WebSocketMessage) {
    guard isOpen else { return }
    var frame: [UInt8] = []
    switch message {
    case .text(let bytes):
      endpoint?.send(bytes.span, opcode: .text, using: transport.deflate, into: &frame)
    case .binary(let bytes):
      endpoint?.send(bytes.span, opcode: .binary, using: transport.deflate, into: &frame)
    }
    enqueue(frame)
  }

  /// Sends the reply to a client's request, regardless of the queue's length: see ``hasRoom(for:)``.
  package func send(reply text: [UInt8]) {
    guard isOpen, pendingClose == nil else { return }
    if encoding.isEvents, answersOpening(text) { return }
    var frame: [UInt8] = []
    transport.appendFrame(text: text, encoding: encoding, into: &frame)
    append(frame)
  }

  /// Appends frames for the peer, unless the queue would exceed its limit.
  func enqueue(_ bytes: [UInt8]) {
    guard admits(bytes.count) else { return }
    append(bytes)
  }

  /// Appends the bytes of a fan-out for a connection that cannot be written to directly.
  func deliver(_ bytes: UnsafeRawBufferPointer) {
    if admits(bytes.count) { append(bytes) }
  }

  /// Encrypts the bytes of a fan-out for a connection with an empty queue, and writes them immediately.
  ///
  /// Only bytes that the kernel does not accept are queued.
  ///
  /// - Returns: The number of bytes written, if all were; otherwise 0.
  func deliverEncrypted(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard bytes.count <= SocketStream.encryptionStep else {
      deliver(bytes)
      return 0
    }
    do {
      let scratch = try transport.resources.tlsScratch()
      defer { scratch.removeOutgoing() }
      try stream.encrypt(bytes, into: scratch)
      let ciphertext = scratch.outgoing
      let outcome = Socket.send(stream.descriptor, ciphertext)
      if case .transferred(let count) = outcome, count == ciphertext.count { return count }
      sendWasShort(outcome, of: ciphertext)
    } catch {
      transport.delegate?.connection(self, brokeTLS: "\(error)")
      condemn(.broken)
    }
    return 0
  }

  /// The socket if bytes may be written to it as they are, because none wait; otherwise -1.
  var writableDescriptor: Int32 {
    stream.isDrained && !stream.isEncrypted ? stream.descriptor : -1
  }

  /// Writes bytes at once, unless others wait before them.
  func write(_ bytes: UnsafeRawBufferPointer) {
    let descriptor = writableDescriptor
    guard descriptor >= 0 else { return queue(bytes) }
    let outcome = Socket.send(descriptor, bytes)
    transport.counters.writes += 1
    if case .transferred(let count) = outcome, count == bytes.count {
      transport.counters.bytesSent += count
    } else {
      sendWasShort(outcome, of: bytes)
    }
  }

  /// Queues the bytes of a direct write that the kernel did not accept.
  func sendWasShort(_ outcome: TransferOutcome, of bytes: UnsafeRawBufferPointer) {
    switch outcome {
    case .transferred(let count):
      transport.counters.bytesSent += count
      stream.appendUnwritten(UnsafeRawBufferPointer(rebasing: bytes[count...]))
      if endpoint != nil, !stream.isEncrypted { cutFrame = CutFrame(in: bytes, at: count) }
      awaitWritability()
    case .wouldBlock:
      stream.appendUnwritten(bytes)
      awaitWritability()
    case .ended, .failed: socketIsBroken()
    }
  }

  /// Appends bytes that are never refused: replies of the protocol layer itself.
  func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes(append)
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    if case .closed = stage { return }
    if isStream { return append(EventBatch(bytes)) }
    queue(bytes)
  }

  /// Appends bytes for the socket.
  private func queue(_ bytes: UnsafeRawBufferPointer) {
    stream.append(bytes)
    scheduleFlush()
  }

  /// Writes the queue until the kernel accepts no more.
  func flush() {
    if case .closed = stage { return }
    if holdsOutput { return stream.postponeFlush() }
    var budget = OutgoingBody.slice
    let queued = queuedByteCount
    repeat {
      switch writeQueued() {
      case .flushed: break
      case .blocked:
        awaitWritability()
        requestPiece()
        if queuedByteCount < queued { offerRoom() }
        return
      case .failed: return dropSocket()
      case .brokeTLS(let error):
        transport.delegate?.connection(self, brokeTLS: "\(error)")
        return dropSocket()
      }
    } while moveFile(&budget)
    didFlush()
    requestPiece()
    completeBody()
    offerRoom()
  }

  private func writeQueued() -> SocketStream.FlushOutcome {
    var writes = SocketStream.Writes()
    let outcome = stream.flush(&writes, using: transport.resources) { bytes, count in
      if endpoint != nil { cutFrame.advance(past: count, of: bytes) }
    }
    transport.counters.writes += writes.count
    transport.counters.bytesSent += writes.byteCount
    if writes.byteCount > 0 { noteLife() }
    if writes.byteCount > 0, isStream { noteInput() }
    return outcome
  }

  /// Whether output waits until the peer's last requests are processed.
  private var holdsOutput: Bool { isDeparting && !awaitsRoom }

  func updatePath() {
    if let events { return findDescriptor(of: events) }
    guard isOpen, pendingClose == nil, !isDeparting else { return }
    transport.connections.setPath(
      !stream.isDrained ? .queued : stream.isEncrypted ? .encrypted : .direct, of: id)
  }

  func updateInterest() {
    // Only the end of its input concerns a stream.
    let wantsMore =
      isStream
      || !isReadingPaused && queuedByteCount <= transport.configuration.outboundHighWaterMark
    let wantsRoom = (stream.outboundByteCount > 0 || isSendingFile) && !holdsOutput
    // Uses raw values, because operations on option sets are looked up at run time.
    let wanted = Readiness(
      rawValue: (wantsMore ? Readiness.readable.rawValue : 0)
        | (wantsRoom ? Readiness.writable.rawValue : 0))
    do throws(SystemError) {
      try stream.setInterest(wanted, on: transport.loop)
    } catch {
      // The kernel would not report when writing can continue.
      socketIsBroken()
    }
  }

  private var isSendingFile: Bool {
    if case .sending(let outgoing) = stage, case .file(let file) = outgoing.content {
      file.count > 0
    } else {
      false
    }
  }

  func admits(_ byteCount: Int) -> Bool {
    // After a close frame there is no more data (RFC 6455 §5.5.1).
    guard isOpen, pendingClose == nil else { return false }
    guard unsentByteCount + byteCount > outboundLimit else { return true }
    condemn(.slow)
    return false
  }

  // The queue is accounted for after it is flushed: nearly always it is empty then.
  func scheduleFlush() {
    updatePath()
    if stream.scheduleFlush() { transport.needsFlush(self) }
  }

  private func awaitWritability() {
    account()
    updatePath()
    updateInterest()
  }

  private func didFlush() {
    if case .closed = stage { return }
    // An idle connection holds no buffers.
    stream.dropQueued()
    account()
    updatePath()
    updateInterest()
    guard case .lingering = stage else { return }
    endOurSide()
  }

  private func endOurSide() {
    guard stream.endWriting(using: transport.resources) else { return scheduleFlush() }
    if isReadingPaused { drop() }
  }
}
