import Reactor

/// The writes that a slice of a sweep has made directly to sockets.
struct DirectWrites {
  /// Subscribers that were owed something.
  var attempts = 0
  /// Bytes that the kernel took whole.
  var byteCount = 0
}

extension Transport {
  /// Fewer writes than these are made one by one.
  private static let writesWorthARing = 8

  /// The ring for `count` writes; `nil` when they are made directly to the sockets.
  func ring(forWrites count: Int) -> SendRing? {
    guard count >= Self.writesWorthARing else { return nil }
    if let ring, ring.isBroken { self.ring = nil }
    return ring
  }

  /// Makes the writes that a ring has gathered.
  @inline(__always)
  func perform(_ ring: SendRing, _ sent: inout DirectWrites) {
    ring.perform { slot, bytes, outcome in
      didSend(outcome, of: bytes, toSlot: slot, &sent)
    }
  }

  /// Takes note of the result of writing a subscriber's bytes.
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
