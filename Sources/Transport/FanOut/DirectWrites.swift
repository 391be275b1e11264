import Reactor

/// The writes that a slice of a sweep has made directly to sockets.
struct DirectWrites {
  /// The number of subscribers with bytes to write.
  var attempts = 0
  /// The number of bytes in complete writes.
  var byteCount = 0
}

extension Transport {
  /// The minimum number of writes for which a ring is used.
  private static let writesWorthARing = 8

  /// The ring for `count` writes; `nil` when they are made directly to the sockets.
  func ring(forWrites count: Int) -> SendRing? {
    guard count >= Self.writesWorthARing else { return nil }
    if let ring, ring.isBroken { self.ring = nil }
    return ring
  }

  /// Performs the writes that a ring has gathered.
  @inline(__always)
  func perform(_ ring: SendRing, _ sent: inout DirectWrites) {
    ring.perform { slot, bytes, outcome in
      didSend(outcome, of: bytes, toSlot: slot, &sent)
    }
  }

  /// Sends the events of a fan-out to a stream: at once where its socket has room, otherwise later.
  ///
  /// - Returns: The number of bytes in writes that were completed meanwhile, to this stream or others. Returned,
  ///   because a sweep keeps its own counts in registers.
  @inline(never)
  func deliver(_ batch: EventBatch, toSlot slot: UInt32, with ring: SendRing?) -> Int {
    guard let stream = connections.stream(inSlot: slot), stream.descriptor >= 0 else {
      connections.connection(inSlot: slot)?.deliver(batch)
      return 0
    }
    var sent = DirectWrites()
    withScratch { chunk in
      stream.append(written: batch, to: &chunk, in: self)
      chunk.withUnsafeBytes { send($0, to: stream, inSlot: slot, with: ring, &sent) }
    }
    return sent.byteCount
  }

  private func send(
    _ chunk: UnsafeRawBufferPointer, to stream: EventStream, inSlot slot: UInt32,
    with ring: SendRing?, _ sent: inout DirectWrites
  ) {
    guard let ring, chunk.count <= SendRing.copyLimit else {
      let outcome = Socket.send(stream.descriptor, chunk)
      return didSend(outcome, of: chunk, toSlot: slot, &sent)
    }
    if ring.isFull || !ring.hasRoom(forCopyOf: chunk.count) { perform(ring, &sent) }
    ring.add(stream.descriptor, copyOf: chunk, tag: slot)
  }

  /// Records the result of writing a subscriber's bytes.
  @inline(__always)
  func didSend(
    _ outcome: TransferOutcome, of bytes: UnsafeRawBufferPointer, toSlot slot: UInt32,
    _ sent: inout DirectWrites
  ) {
    if case .transferred(let count) = outcome, count == bytes.count {
      sent.byteCount += count
    } else {
      connections.connection(inSlot: slot)?.sendWasShort(outcome, of: bytes)
    }
  }
}
