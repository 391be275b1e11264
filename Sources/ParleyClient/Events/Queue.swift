/// Elements in the order in which they were added, each removed once.
struct Queue<Element> {
  /// The removed elements, which are `nil`, and then the others.
  private var slots: [Element?] = []
  private var removedCount = 0

  /// The number of removed elements from which on their memory is reused.
  private static var leastRemoved: Int { 32 }

  var count: Int { slots.count - removedCount }

  var isEmpty: Bool { count == 0 }

  /// The oldest element.
  var first: Element? { isEmpty ? nil : slots[removedCount] }

  mutating func append(_ element: Element) {
    slots.append(element)
  }

  /// Removes the oldest element; constant time on average.
  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = slots[removedCount]
    slots[removedCount] = nil
    removedCount += 1
    if isEmpty {
      slots.removeAll(keepingCapacity: slots.count <= 2 * Self.leastRemoved)
      removedCount = 0
    } else if removedCount >= Self.leastRemoved, removedCount >= slots.count / 2 {
      slots.removeFirst(removedCount)
      removedCount = 0
    }
    return element
  }
}
