/// Timers for very many connections: setting, moving and cancelling a timer takes O(1).
///
/// Deliberately coarse: a timer fires within one tick after its deadline. The wheel turns once in
/// `slotCount` ticks; a timer that is further away stays in its slot and is skipped until its turn.
///
///     tick      16 ms
///     slot      deadline / tick  mod  1024          one turn is 16.4 s
package struct TimerWheel<Payload> {
  /// Identifies a timer that was set; invalid after the timer has fired or was cancelled.
  package struct Token: Hashable, Sendable {
    fileprivate let index: Int32
    fileprivate let generation: UInt32
  }

  private struct Node {
    var deadline: Int64 = 0
    var payload: Payload?
    var next: Int32 = -1
    var previous: Int32 = -1
    var generation: UInt32 = 0
  }

  private static var tick: Int64 { 16 }
  private static var slotCount: Int { 1024 }

  private var nodes: [Node] = []
  private var freeHead: Int32 = -1
  private var heads = [Int32](repeating: -1, count: TimerWheel.slotCount)
  private var occupied = [UInt64](repeating: 0, count: TimerWheel.slotCount / 64)
  private var currentTick: Int64
  /// The number of pending timers.
  package private(set) var count = 0

  /// - Parameter now: Milliseconds of a monotonic clock.
  package init(now: Int64) {
    currentTick = now / Self.tick
  }

  /// Sets a timer.
  package mutating func schedule(_ payload: Payload, at deadline: Int64) -> Token {
    let index = takeNode()
    nodes[Int(index)].deadline = deadline
    nodes[Int(index)].payload = payload
    link(index)
    count += 1
    return Token(index: index, generation: nodes[Int(index)].generation)
  }

  /// Cancels a timer; does nothing if it has fired or was already cancelled.
  package mutating func cancel(_ token: Token) {
    let index = Int(token.index)
    guard index < nodes.count, nodes[index].generation == token.generation,
      nodes[index].payload != nil
    else { return }
    unlink(token.index)
    release(token.index)
  }

  /// Removes the timers that are due and returns them in no particular order.
  package mutating func due(now: Int64) -> [(Payload, Token)] {
    let target = now / Self.tick
    guard target > currentTick, count > 0 else {
      currentTick = max(currentTick, target)
      return []
    }
    var fired: [(Payload, Token)] = []
    let steps = min(target - currentTick, Int64(Self.slotCount))
    for step in 1...steps {
      // A tick is visited when it is over, so no timer fires before its deadline.
      collect(slot: Self.slot(ofTick: currentTick + step - 1), now: now, into: &fired)
    }
    currentTick = target
    return fired
  }

  /// Milliseconds until the next timer may be due; `nil` when there are no timers.
  package func millisecondsUntilNext(now: Int64) -> Int64? {
    guard count > 0 else { return nil }
    var step: Int64 = 0
    while step < Int64(Self.slotCount) {
      let slot = Self.slot(ofTick: currentTick + step)
      let later = occupied[slot >> 6] >> UInt64(slot & 63)
      if later != 0 {
        let tick = currentTick + step + Int64(later.trailingZeroBitCount)
        return max(0, (tick + 1) * Self.tick - now)
      }
      step += 64 - Int64(slot & 63)
    }
    return Int64(Self.slotCount) * Self.tick
  }

  private static func slot(ofTick tick: Int64) -> Int {
    Int(truncatingIfNeeded: tick) & (slotCount - 1)
  }

  private mutating func collect(slot: Int, now: Int64, into fired: inout [(Payload, Token)]) {
    var index = heads[slot]
    while index >= 0 {
      let next = nodes[Int(index)].next
      if nodes[Int(index)].deadline <= now, let payload = nodes[Int(index)].payload {
        fired.append((payload, Token(index: index, generation: nodes[Int(index)].generation)))
        unlink(index)
        release(index)
      }
      index = next
    }
  }

  private mutating func takeNode() -> Int32 {
    guard freeHead >= 0 else {
      nodes.append(Node())
      return Int32(nodes.count - 1)
    }
    let index = freeHead
    freeHead = nodes[Int(index)].next
    return index
  }

  private mutating func release(_ index: Int32) {
    nodes[Int(index)].payload = nil
    nodes[Int(index)].generation &+= 1
    nodes[Int(index)].next = freeHead
    nodes[Int(index)].previous = -1
    freeHead = index
    count -= 1
  }

  private func slot(of index: Int32) -> Int {
    // A deadline in the past is placed in the slot that is visited next.
    Self.slot(ofTick: max(nodes[Int(index)].deadline / Self.tick, currentTick))
  }

  private mutating func link(_ index: Int32) {
    let slot = slot(of: index)
    // Stored in the deadline, because the slot must be found again when the timer is cancelled.
    nodes[Int(index)].deadline = max(nodes[Int(index)].deadline, currentTick * Self.tick)
    let head = heads[slot]
    nodes[Int(index)].next = head
    nodes[Int(index)].previous = -1
    if head >= 0 { nodes[Int(head)].previous = index }
    heads[slot] = index
    occupied[slot >> 6] |= 1 << UInt64(slot & 63)
  }

  private mutating func unlink(_ index: Int32) {
    let node = nodes[Int(index)]
    if node.next >= 0 { nodes[Int(node.next)].previous = node.previous }
    if node.previous >= 0 {
      nodes[Int(node.previous)].next = node.next
    } else {
      let slot = Self.slot(ofTick: node.deadline / Self.tick)
      heads[slot] = node.next
      if node.next < 0 { occupied[slot >> 6] &= ~(1 << UInt64(slot & 63)) }
    }
  }
}
