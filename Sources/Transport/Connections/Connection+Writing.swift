import Bytes
import HTTP1
import Reactor
import TLS
import WebSocket

extension Connection {
  /// TLS encrypts at most so much at a time, so that its output area stays small.
  private static let encryptionStep = 65_536

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
    guard let tls, bytes.count <= Self.encryptionStep else {
      deliver(bytes)
      return 0
    }
    do {
      let scratch = try transport.tlsScratch()
      defer { scratch.removeOutgoing() }
      try tls.send(bytes, scratch: scratch)
      let ciphertext = scratch.outgoing
      let outcome = Socket.send(descriptor, ciphertext)
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
      outbound.append(UnsafeRawBufferPointer(rebasing: bytes[count...]))
      if tls == nil {
        cutFrameByteCount = UInt32(clamping: FrameBoundary.rest(of: bytes, from: 0, cutAt: count))
      }
      awaitWritability()
    case .wouldBlock:
      outbound.append(bytes)
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
    if tls == nil { outbound.append(bytes) } else { unencrypted.append(bytes) }
    scheduleFlush()
  }

  /// Takes ciphertext that TLS itself made.
  func sendCiphertext(of scratch: TLSScratch) {
    guard !scratch.outgoing.isEmpty else { return }
    outbound.append(scratch.outgoing)
    scratch.removeOutgoing()
    scheduleFlush()
  }

  /// Writes what waits, as far as the kernel takes it.
  func flush() {
    awaitsFlush = false
    if case .closed = stage { return }
    var budget = OutgoingFile.slice
    let queued = queuedByteCount
    repeat {
      guard writeOutbound() else {
        if queuedByteCount < queued { offerRoom() }
        return
      }
    } while encryptNext() || moveFile(&budget)
    didFlush()
    completeFile()
    offerRoom()
  }

  /// Notifies an application that waits for room.
  private func offerRoom() {
    guard awaitsRoom else { return }
    awaitsRoom = false
    // The peer takes what it is sent.
    lastReceived = transport.loop.now
    application?.connectionHasRoom(self)
  }

  /// Carries a change of what the connection holds over to the transport's total.
  func account() {
    let count = UInt32(
      clamping: outbound.count + unencrypted.count + heldInput.count + applicationByteCount)
    transport.heldByteCount += Int(count) - Int(accountedByteCount)
    accountedByteCount = count
  }

  /// Ends the connection as soon as all that waits has been written.
  func finish() {
    switch stage {
    case .lingering, .closed: return
    case .sending(var outgoing) where outgoing.file.count > 0 || queuedByteCount > 0:
      outgoing.persistence = .close
      stage = .sending(outgoing)
      return
    case .introduction, .http, .receiving, .answering, .sending, .webSocket, .closing: break
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
    let reason = condemnation
    condemnation = nil
    guard isOpen else { return }
    switch reason {
    case .slow:
      transport.counters.slowConsumers += 1
      close(.slowConsumer, reason: "too much is waiting to be written")
    case .broken, nil: drop()
    }
  }

  func updatePath() {
    guard isOpen, condemnation == nil else { return }
    let isIdle = outbound.isEmpty && unencrypted.isEmpty
    transport.connections.setPath(
      !isIdle ? .queued : tls == nil ? .direct : .encrypted, of: id)
  }

  func updateInterest() {
    guard let registration else { return }
    let wantsMore =
      !isReadingPaused && queuedByteCount <= transport.configuration.outboundHighWaterMark
    let wantsRoom = !outbound.isEmpty || isSendingFile
    // By raw values: what sets have in common is looked up at run time.
    let wanted = Readiness(
      rawValue: (wantsMore ? Readiness.readable.rawValue : 0)
        | (wantsRoom ? Readiness.writable.rawValue : 0))
    guard wanted.rawValue != interest.rawValue else { return }
    interest = wanted
    transport.loop.update(registration, for: wanted)
  }

  private var isSendingFile: Bool {
    if case .sending(let outgoing) = stage { outgoing.file.count > 0 } else { false }
  }

  private func admits(_ byteCount: Int) -> Bool {
    // After a close frame there is no more data (RFC 6455 §5.5.1).
    guard isOpen, condemnation == nil else { return false }
    guard queuedByteCount + byteCount > transport.configuration.outboundBytes else { return true }
    condemn(.slow)
    return false
  }

  private func condemn(_ reason: Condemnation) {
    guard condemnation == nil else { return }
    condemnation = reason
    transport.connections.setPath(.closed, of: id)
    transport.condemn(self)
  }

  // What waits is accounted when it has been flushed: nearly always nothing is left then.
  private func scheduleFlush() {
    updatePath()
    guard !awaitsFlush else { return }
    awaitsFlush = true
    transport.needsFlush(self)
  }

  private func awaitWritability() {
    account()
    updatePath()
    updateInterest()
  }

  /// - Returns: Whether there is something more to write now.
  private func encryptNext() -> Bool {
    guard let tls, tls.isEstablished, !unencrypted.isEmpty else { return false }
    do {
      let scratch = try transport.tlsScratch()
      let count = min(unencrypted.count, Self.encryptionStep)
      try unencrypted.withUnsafeBytes { bytes in
        try tls.send(UnsafeRawBufferPointer(rebasing: bytes[..<count]), scratch: scratch)
      }
      cutFrames(of: unencrypted, at: count)
      unencrypted.removeFirst(count)
      outbound.append(scratch.outgoing)
      scratch.removeOutgoing()
      return true
    } catch {
      transport.delegate?.connection(self, brokeTLS: "\(error)")
      drop()
      return false
    }
  }

  /// - Returns: Whether all of ``outbound`` was written.
  private func writeOutbound() -> Bool {
    while !outbound.isEmpty {
      let outcome = outbound.withUnsafeBytes { Socket.send(descriptor, $0) }
      transport.counters.writes += 1
      switch outcome {
      case .transferred(let count):
        transport.counters.bytesSent += count
        noteLife()
        if tls == nil { cutFrames(of: outbound, at: count) }
        outbound.removeFirst(count)
      case .wouldBlock:
        awaitWritability()
        return false
      case .ended, .failed:
        drop()
        return false
      }
    }
    if case .closed = stage { return false }
    return true
  }

  /// Notes how much is left of the frame that is cut where the next `count` bytes of a queue end.
  private func cutFrames(of queue: ByteQueue, at count: Int) {
    guard endpoint != nil else { return }
    guard count < queue.count else {
      cutFrameByteCount = 0
      return
    }
    let first = Int(cutFrameByteCount)
    let rest = queue.withUnsafeBytes { FrameBoundary.rest(of: $0, from: first, cutAt: count) }
    cutFrameByteCount = UInt32(clamping: rest)
  }

  private func didFlush() {
    if case .closed = stage { return }
    // An idle connection keeps no buffers.
    outbound = ByteQueue()
    unencrypted = ByteQueue()
    account()
    updatePath()
    updateInterest()
    guard case .lingering = stage else { return }
    endOurSide()
  }

  private func endOurSide() {
    if let tls, let scratch = try? transport.tlsScratch() {
      self.tls = nil
      // Without a goodbye the peer could not tell our end from a cut connection (RFC 8446 §6.1).
      try? tls.close(scratch: scratch)
      sendCiphertext(of: scratch)
      if !outbound.isEmpty { return }
    }
    Socket.shutDownWriting(descriptor)
    if isReadingPaused { drop() }
  }
}
