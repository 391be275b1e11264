import HTTP1
import Reactor
import Streams
import TLS
import WebSocket

extension Connection {
  /// Appends frames for the peer, unless too much would wait then.
  func enqueue(_ bytes: [UInt8]) {
    guard admits(bytes.count) else { return }
    append(bytes)
  }

  /// Appends what a fan-out owes to a connection that can't simply be written to.
  func deliver(_ bytes: UnsafeRawBufferPointer) {
    if admits(bytes.count) { append(bytes) }
  }

  /// Encrypts what a fan-out owes to a connection that nothing waits for, and writes it at once;
  /// only what the kernel does not take is queued.
  ///
  /// - Returns: How many bytes were written, if they were all.
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

  /// Keeps what the kernel did not take of a direct write.
  func sendWasShort(_ outcome: TransferOutcome, of bytes: UnsafeRawBufferPointer) {
    switch outcome {
    case .transferred(let count):
      transport.counters.bytesSent += count
      stream.appendUnwritten(UnsafeRawBufferPointer(rebasing: bytes[count...]))
      if !stream.isEncrypted { cutFrame = CutFrame(in: bytes, at: count) }
      awaitWritability()
    case .wouldBlock:
      stream.appendUnwritten(bytes)
      awaitWritability()
    case .ended, .failed:
      condemn(.broken)
    }
  }

  /// Appends bytes that are never refused: replies of the protocol itself.
  func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes(append)
  }

  private func append(_ bytes: UnsafeRawBufferPointer) {
    if case .closed = stage { return }
    stream.append(bytes)
    scheduleFlush()
  }

  /// Writes what waits, as far as the kernel takes it.
  func flush() {
    if case .closed = stage { return }
    var budget = OutgoingFile.slice
    let queued = queuedByteCount
    repeat {
      switch writeQueued() {
      case .flushed: break
      case .blocked:
        awaitWritability()
        if queuedByteCount < queued { offerRoom() }
        return
      case .failed: return drop()
      case .brokeTLS(let error):
        transport.delegate?.connection(self, brokeTLS: "\(error)")
        return drop()
      }
    } while moveFile(&budget)
    didFlush()
    completeFile()
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
    return outcome
  }

  /// Ends the connection as soon as all that waits has been written.
  func finish() {
    switch stage {
    case .lingering, .closed: return
    case .sending(var outgoing) where outgoing.file.count > 0 || queuedByteCount > 0:
      outgoing.persistence = .close
      stage = .sending(outgoing)
      return
    case .proxyHeader, .http, .receiving, .answering, .sending, .webSocket, .closing: break
    }
    abandonRequest()
    transport.connections.setPath(.closed, of: id)
    stage = .lingering
    endpoint = nil
    // The peer's end must be seen, or closing would reset the connection under our last words.
    resumeReading()
    setTimer(.close, after: transport.configuration.closeTimeout)
    scheduleFlush()
  }

  /// Closes a slow or broken connection, after the fan-out that found it so.
  func closeCondemned() {
    let reason = pendingClose
    pendingClose = nil
    switch reason {
    case .slow:
      guard isOpen else { return }
      transport.counters.slowConsumers += 1
      close(
        transport.configuration.slowConsumerCode, reason: "too much is waiting to be written")
    case .broken, nil: drop()
    }
  }

  func updatePath() {
    guard isOpen, pendingClose == nil else { return }
    transport.connections.setPath(
      !stream.isDrained ? .queued : stream.isEncrypted ? .encrypted : .direct, of: id)
  }

  func updateInterest() {
    let wantsMore =
      !isReadingPaused && queuedByteCount <= transport.configuration.outboundHighWaterMark
    let wantsRoom = stream.outboundByteCount > 0 || isSendingFile
    // By raw values: what sets have in common is looked up at run time.
    let wanted = Readiness(
      rawValue: (wantsMore ? Readiness.readable.rawValue : 0)
        | (wantsRoom ? Readiness.writable.rawValue : 0))
    do throws(SystemError) {
      try stream.setInterest(wanted, on: transport.loop)
    } catch {
      // The kernel would not say when to go on.
      condemn(.broken)
    }
  }

  private var isSendingFile: Bool {
    if case .sending(let outgoing) = stage { outgoing.file.count > 0 } else { false }
  }

  private func admits(_ byteCount: Int) -> Bool {
    // After a close frame there is no more data (RFC 6455 §5.5.1).
    guard isOpen, pendingClose == nil else { return false }
    guard queuedByteCount + byteCount > transport.configuration.outboundBytes else { return true }
    condemn(.slow)
    return false
  }

  private func condemn(_ reason: PendingClose) {
    guard pendingClose == nil else { return }
    pendingClose = reason
    transport.connections.setPath(.closed, of: id)
    transport.condemn(self)
  }

  // What waits is accounted when it has been flushed: nearly always nothing is left then.
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
    // An idle connection keeps no buffers.
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
