import Reactor

/// The subscribers of one channel that get the same bytes, and the bytes still to be sent to them.
///
/// Published frames are stored consecutively in one buffer. A sweep visits the subscribers and writes
/// each one its missing bytes in one write. Frames published during a sweep reach the subscribers that
/// it has not visited in the same write, and the others in the next sweep. So a burst costs one write
/// per subscriber, however many frames it holds.
///
///     position   base                          end
///     buffer      |  frame  frame  frame  frame |
///     subscriber  ●─────────── owed ───────────►
package final class BroadcastBuffer {
  /// A subscriber with its position, counted in bytes from the buffer's start.
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
  /// The end of the bytes when the current sweep began.
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

  /// Adds a connection, which gets the frames that are published from now on.
  package func subscribe(_ connection: Connection) -> Subscription {
    let subscription = Subscription(
      index: subscribers.count, slot: connection.id.slot, broadcast: self)
    subscribers.append(Subscriber(slot: connection.id.slot, position: end))
    subscriptions.append(subscription)
    return subscription
  }

  /// Removes a connection.
  ///
  /// Bytes that it has not received are moved to its queue first.
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
  ///   - exceptions: Subscribers that get different bytes instead, each at most once.
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

  /// Writes the missing bytes to the next subscribers.
  ///
  /// - Parameter budget: The number of writes that are allowed; reduced by the writes made.
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

  /// The one loop that runs for every delivery.
  ///
  /// All its state is in local variables, and its counts are added up once at the end.
  private func sweepSlice(_ budget: inout Int) {
    let (base, end, transport, hot) = (base, end, transport, transport.connections.hot)
    let ring = transport.ring(forWrites: min(subscribers.count - cursor, budget))
    var (index, sent) = (cursor, DirectWrites())
    var events: (position: Int, batch: EventBatch)?
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
            if target.path == .events {
              if events?.position != subscriber.position {
                let batch = EventBatch(owed, sharers: subscribers.count)
                events = (subscriber.position, batch)
              }
              if let events {
                sent.byteCount += transport.deliver(
                  events.batch, toSlot: subscriber.slot, with: ring)
              }
              continue
            }
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

  /// Discards the bytes that all subscribers have received at the end of a pass, so that a buffer that
  /// is never idle does not grow without limit.
  private func discardDelivered() {
    buffer.removeFirst(sweepEnd - base)
    base = sweepEnd
  }

  /// Moves the missing bytes of a subscriber to its connection's queue.
  func settle(_ subscription: Subscription) {
    let position = subscribers[subscription.index].position
    guard position < end else { return }
    transport.enqueue(Array(buffer[(position - base)...]), toSlot: subscription.slot)
    subscribers[subscription.index].position = end
  }

  /// Closes the gap of a removed subscriber, so that a sweep in progress neither skips nor repeats
  /// another.
  ///
  /// A gap before the cursor is filled with the last subscriber before the cursor, whose place is filled
  /// with the last of all.
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

/// A connection's entry in a broadcast buffer.
package final class Subscription {
  /// The index in the buffer's list; changes when other subscribers are removed.
  var index: Int
  let slot: UInt32
  /// The buffer that contains the subscription; `nil` after it has been cancelled.
  weak var broadcast: BroadcastBuffer?
  /// The buffer that contains the subscription; `nil` after it has been cancelled.
  package var feed: BroadcastBuffer? { broadcast }

  init(index: Int, slot: UInt32, broadcast: BroadcastBuffer) {
    self.index = index
    self.slot = slot
    self.broadcast = broadcast
  }

  /// Moves the subscriber's missing bytes to its connection's queue, so that later messages follow them.
  package func settle() {
    broadcast?.settle(self)
  }
}

/// The encoding of a server's frames; connections with the same encoding get the same bytes.
///
/// A connection that lets the server keep a compression context gets the same bytes as one that forbids
/// it: the permission need not be used (RFC 7692 §7.1.1.1).
package struct FrameEncoding: Hashable, Sendable {
  /// The size of the LZ77 window in bits, 9 to 15; 0 when frames are not compressed, 1 for events.
  package let windowBits: UInt8

  /// Uncompressed frames.
  package static let plain = FrameEncoding(windowBits: 0)

  /// Frames that are compressed independently, for a peer with a window of `windowBits` bits.
  package static func deflated(windowBits: UInt8) -> FrameEncoding {
    FrameEncoding(windowBits: windowBits)
  }

  /// Numbered events of streams, in the form of ``EventFrames``; such a connection has no frames.
  package static let events = FrameEncoding(windowBits: 1)

  package var isCompressed: Bool { windowBits > 1 }

  var isEvents: Bool { windowBits == 1 }
}
