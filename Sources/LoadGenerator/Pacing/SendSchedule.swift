/// The send times of a sender's messages, fixed before the first.
///
/// A latency counts from the scheduled time, not from the actual send: a sender delayed by a
/// stalled server would otherwise omit exactly the messages that would have waited (coordinated
/// omission). Times are nanoseconds of a monotonic clock.
package struct SendSchedule: Sendable, Hashable {
  private let start: Int64
  private let interval: Double
  /// The number of the next message, from 0.
  package private(set) var number: UInt32 = 0

  /// - Parameters:
  ///   - start: The start of the schedule.
  ///   - perSecond: Messages per second, more than 0.
  ///   - phase: The fraction of the first interval before the first message, 0 to 1.
  package init(start: Int64, perSecond: Double, phase: Double = 0) {
    interval = 1_000_000_000 / max(perSecond, 0.000_001)
    self.start = start &+ Int64(min(interval * phase, 9e15))
  }

  /// The time of the next message.
  package var next: Int64 { start &+ Int64(min(Double(number) * interval, 9e15)) }

  /// Advances to the following message.
  package mutating func advance() {
    number &+= 1
  }
}

/// Elements with their due times, earliest first (a binary heap).
///
/// Adding and removing cost O(log *n*).
package struct DueQueue<Element: Sendable>: Sendable {
  private var entries: [(time: Int64, element: Element)] = []

  package init() {}

  /// The due time of the first element; `nil` if there is none.
  package var nextTime: Int64? { entries.first?.time }

  package mutating func insert(_ element: Element, at time: Int64) {
    entries.append((time, element))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].time < entries[parent].time else { return }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes the first element if it is due.
  package mutating func popDue(at now: Int64) -> (time: Int64, element: Element)? {
    guard let first = entries.first, first.time <= now else { return nil }
    let last = entries.removeLast()
    guard !entries.isEmpty else { return first }
    entries[0] = last
    siftDown()
    return first
  }

  package mutating func removeAll() {
    entries = []
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < entries.count else { return }
      if child + 1 < entries.count, entries[child + 1].time < entries[child].time { child += 1 }
      guard entries[child].time < entries[parent].time else { return }
      entries.swapAt(child, parent)
      parent = child
    }
  }
}
