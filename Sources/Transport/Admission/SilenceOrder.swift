/// Orders connections by the time of their last activity, the longest silent first.
///
/// A doubly linked list for each ``SocketPool``, stored in an array indexed by slot. Every change takes
/// constant time.
///
///     first ──► slot ◄──► slot ◄──► slot ◄── last
struct SilenceOrder {
  private static let none = UInt32.max

  private struct Link {
    var previous = SilenceOrder.none
    var next = SilenceOrder.none
    var time: Int64 = 0
  }

  private struct Ends {
    var first = SilenceOrder.none
    var last = SilenceOrder.none
  }

  private var links: [Link] = []
  private var ends = [Ends](repeating: Ends(), count: SocketPool.allCases.count)

  /// The longest silent connection of a pool.
  func first(in pool: SocketPool) -> UInt32? {
    let slot = ends[pool.index].first
    return slot == Self.none ? nil : slot
  }

  /// The slot that follows in the order.
  func next(after slot: UInt32) -> UInt32? {
    let slot = links[Int(slot)].next
    return slot == Self.none ? nil : slot
  }

  /// The time of the last activity of the longest silent connection of a pool.
  func oldestTime(in pool: SocketPool) -> Int64? {
    first(in: pool).map { links[Int($0)].time }
  }

  /// Appends a slot that is not in the order.
  mutating func insert(_ slot: UInt32, in pool: SocketPool, at now: Int64) {
    let index = Int(slot)
    if index >= links.count {
      links.append(contentsOf: repeatElement(Link(), count: index + 1 - links.count))
    }
    let last = ends[pool.index].last
    links[index] = Link(previous: last, next: Self.none, time: now)
    if last == Self.none { ends[pool.index].first = slot } else { links[Int(last)].next = slot }
    ends[pool.index].last = slot
  }

  /// Removes a slot that is in the order.
  mutating func remove(_ slot: UInt32, from pool: SocketPool) {
    let link = links[Int(slot)]
    if link.previous == Self.none {
      ends[pool.index].first = link.next
    } else {
      links[Int(link.previous)].next = link.next
    }
    if link.next == Self.none {
      ends[pool.index].last = link.previous
    } else {
      links[Int(link.next)].previous = link.previous
    }
  }

  /// Moves a slot that is in the order to the end.
  mutating func touch(_ slot: UInt32, in pool: SocketPool, at now: Int64) {
    guard ends[pool.index].last != slot else {
      links[Int(slot)].time = now
      return
    }
    remove(slot, from: pool)
    insert(slot, in: pool, at: now)
  }
}
