import Reactor

/// The subscribers of one channel that get the same bytes, and the bytes they still have to get.
///
/// Published frames lie one after another in one buffer. A sweep walks the subscribers and writes
/// each its missing bytes, in one write. Frames published meanwhile reach the subscribers ahead of
/// the sweep in the same write, and the others in the next sweep. So a burst costs one write per
/// subscriber, however many frames it holds.
///
///     position   base                          end
///     buffer      |  frame  frame  frame  frame |
///     subscriber  ●─────────── owed ───────────►
package final class BroadcastBuffer {
  /// A subscriber with its position in the buffer's bytes since the buffer's beginning.
  struct Subscriber {
    let slot: UInt32
    var position: Int
  }

  private unowned let transport: Transport
  private var subscribers: [Subscriber] = []
  private var subscriptions: [Subscription] = []
  private var buffer: [UInt8] = []
  private var base = 0
  private var cursor = 0
  /// The end of the bytes when the present sweep began.
  private var sweepEnd = 0
  private(set) var isSweeping = false

  /// The encoding of the published frames.
  package let encoding: FrameEncoding

  package init(encoding: FrameEncoding, transport: Transport) {
    self.encoding = encoding
    self.transport = transport
  }

  package var subscriberCount: Int { subscribers.count }

  private var end: Int { base + buffer.count }

  /// Adds a connection; it gets the frames that are published from now on.
  package func subscribe(_ connection: Connection) -> Subscription {
    let subscription = Subscription(
      index: subscribers.count, slot: connection.id.slot, broadcast: self)
    subscribers.append(Subscriber(slot: connection.id.slot, position: end))
    subscriptions.append(subscription)
    return subscription
  }

  /// Removes a connection; bytes that it is still owed go to its queue first.
  package func cancel(_ subscription: Subscription) {
    guard subscription.broadcast === self else { return }
    settle(subscription)
    subscription.broadcast = nil
    fill(gap: subscription.index)
  }

  /// Publishes frames to all subscribers.
  ///
  /// - Parameters:
  ///   - frames: Whole frames in this buffer's encoding.
  ///   - exceptions: Subscribers that get other bytes in their place, each at most once.
  package func publish(
    _ frames: [UInt8], except exceptions: [(subscription: Subscription, frames: [UInt8])]
  ) {
    let isShared = subscribers.count > exceptions.count && !frames.isEmpty
    let newEnd = isShared ? end + frames.count : end
    for (subscription, own) in exceptions where subscription.broadcast === self {
      settle(subscription)
      transport.enqueue(own, toSlot: subscription.slot)
      subscribers[subscription.index].position = newEnd
    }
    guard isShared else { return }
    if buffer.isEmpty { buffer = transport.takeSpareBuffer() }
    buffer.append(contentsOf: frames)
    beginSweep()
  }

  /// Gives the next subscribers the bytes that they are owed.
  ///
  /// - Parameter budget: The number of writes that it may make; reduced by those that it made.
  /// - Returns: Whether all subscribers have received everything.
  func sweep(budget: inout Int) -> Bool {
    while budget > 0 {
      sweepSlice(&budget)
      guard cursor >= subscribers.count else { return false }
      guard sweepEnd < end else {
        finishSweep()
        return true
      }
      discardDelivered()
      cursor = 0
      sweepEnd = end
    }
    return false
  }

  /// The one loop that runs for every delivery: all that it needs is in local variables, and what
  /// it counts is added up once.
  private func sweepSlice(_ budget: inout Int) {
    let (base, end, transport, hot) = (base, end, transport, transport.connections.hot)
    let ring = transport.ring(forWrites: min(subscribers.count - cursor, budget))
    var (index, sent) = (cursor, DirectWrites())
    let limit = budget
    buffer.withUnsafeBytes { bytes in
      subscribers.withUnsafeMutableBufferPointer { subscribers in
        while index < subscribers.count, sent.attempts < limit {
          let subscriber = subscribers[index]
          subscribers[index].position = end
          index += 1
          guard subscriber.position < end else { continue }
          let owed = UnsafeRawBufferPointer(rebasing: bytes[(subscriber.position - base)...])
          let target = hot[Int(subscriber.slot)]
          sent.attempts += 1
          guard target.path == .direct else {
            sent.byteCount += transport.deliver(
              owed, toSlot: subscriber.slot, by: target.path)
            continue
          }
          if let ring {
            ring.add(target.descriptor, owed, tag: subscriber.slot)
            if ring.isFull { transport.perform(ring, &sent) }
          } else {
            let outcome = Socket.send(target.descriptor, owed)
            transport.didSend(outcome, of: owed, toSlot: subscriber.slot, &sent)
          }
        }
        if let ring { transport.perform(ring, &sent) }
      }
    }
    cursor = index
    budget -= sent.attempts
    transport.count(sent)
  }

  private func beginSweep() {
    guard !isSweeping else { return }
    isSweeping = true
    cursor = 0
    sweepEnd = end
    transport.bufferHasBytes(self)
  }

  private func finishSweep() {
    isSweeping = false
    base = end
    var spent: [UInt8] = []
    swap(&spent, &buffer)
    transport.recycle(spent)
  }

  /// Discards the bytes that all subscribers have received at the end of a pass: a buffer that is
  /// never quiet must not grow for ever.
  private func discardDelivered() {
    buffer.removeFirst(sweepEnd - base)
    base = sweepEnd
  }

  /// Gives a subscriber the bytes that it is owed through its connection's queue.
  func settle(_ subscription: Subscription) {
    let position = subscribers[subscription.index].position
    guard position < end else { return }
    transport.enqueue(Array(buffer[(position - base)...]), toSlot: subscription.slot)
    subscribers[subscription.index].position = end
  }

  /// Closes the gap of a subscriber that leaves, so that a sweep under way neither misses nor
  /// repeats another: one before the cursor is replaced by the last before the cursor, and that one
  /// by the last of all.
  private func fill(gap: Int) {
    var gap = gap
    if gap < cursor {
      cursor -= 1
      move(from: cursor, to: gap)
      gap = cursor
    }
    move(from: subscribers.count - 1, to: gap)
    subscribers.removeLast()
    subscriptions.removeLast()
  }

  private func move(from source: Int, to target: Int) {
    guard source != target else { return }
    subscribers[target] = subscribers[source]
    subscriptions[target] = subscriptions[source]
    subscriptions[target].index = target
  }
}

/// A connection's place in a broadcast buffer.
package final class Subscription {
  /// The index in the buffer's list; changes as others leave.
  var index: Int
  let slot: UInt32
  /// The buffer that it is in; `nil` once it has been cancelled.
  weak var broadcast: BroadcastBuffer?

  init(index: Int, slot: UInt32, broadcast: BroadcastBuffer) {
    self.index = index
    self.slot = slot
    self.broadcast = broadcast
  }

  /// Moves the bytes that the subscriber is owed to its connection's queue, so that later messages
  /// follow them.
  package func settle() {
    broadcast?.settle(self)
  }
}

/// The encoding of a server's frames; connections with the same encoding get the same bytes.
///
/// A connection whose agreement lets the server keep a compression context gets the very same
/// bytes as one that forbids it: the permission need not be used (RFC 7692 §7.1.1.1).
package struct FrameEncoding: Hashable, Sendable {
  /// The LZ77 window in bits, 9 to 15; 0 when frames are not compressed.
  package let windowBits: UInt8

  /// Uncompressed frames.
  package static let plain = FrameEncoding(windowBits: 0)

  /// Frames that are each compressed by itself, for a peer with a window of `windowBits` bits.
  package static func deflated(windowBits: UInt8) -> FrameEncoding {
    FrameEncoding(windowBits: windowBits)
  }

  package var isCompressed: Bool { windowBits > 0 }
}
