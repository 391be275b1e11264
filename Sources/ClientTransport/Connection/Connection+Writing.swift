internal import Bytes
internal import Reactor
internal import TLS

extension Connection {
  /// Queues bytes; they leave at the end of the turn.
  func write(_ bytes: [UInt8]) {
    if case .closed = stage { return }
    guard !bytes.isEmpty else { return }
    guard let tls else {
      outbound.append(bytes)
      return scheduleFlush()
    }
    do {
      let scratch = try context.tlsScratch()
      try bytes.withUnsafeBytes { try tls.send($0, scratch: scratch) }
      sendCiphertext(of: scratch)
    } catch {
      end(.lost, "\(error)")
    }
  }

  /// Takes ciphertext that TLS has made.
  func sendCiphertext(of scratch: TLSScratch) {
    guard !scratch.outgoing.isEmpty else { return }
    if descriptor >= 0 {
      outbound.append(scratch.outgoing)
      scheduleFlush()
    }
    scratch.removeOutgoing()
  }

  func scheduleFlush() {
    guard !awaitsFlush else { return }
    awaitsFlush = true
    context.needsFlush(self)
  }

  /// Writes what waits, as far as the kernel takes it.
  func flush() {
    awaitsFlush = false
    while descriptor >= 0, !outbound.isEmpty {
      switch outbound.withUnsafeBytes({ Socket.send(descriptor, $0) }) {
      case .transferred(let count): outbound.removeFirst(count)
      case .wouldBlock: return setInterest(readInterest.union(.writable))
      case .ended, .failed: return writingFailed()
      }
    }
    if case .connecting = stage { return }
    setInterest(readInterest)
  }

  func setInterest(_ wanted: Readiness) {
    guard let registration, wanted != interest else { return }
    interest = wanted
    context.loop.update(registration, for: wanted)
  }

  /// What the server said before it went may still be there to read: it says why.
  private func writingFailed() {
    outbound.removeAll()
    isReadingPaused = false
    setInterest(.readable)
  }
}
