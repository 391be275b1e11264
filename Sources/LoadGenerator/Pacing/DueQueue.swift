/// Elements with the times at which they are due, the earliest first (a binary heap).
///
/// Adding and taking cost O(log *n*).
package struct DueQueue<Element: Sendable>: Sendable {
  private var entries: [(time: Int64, element: Element)] = []

  package init() {}

  /// When the first is due; `nil` when there is none.
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

  /// Takes the first if it is due.
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
