internal import DequeModule

/// A bounded queue of events for a consumer; the newest event displaces the oldest.
struct EventBacklog<Element> {
  private let limit: Int
  private var elements: Deque<Element> = []
  private var droppedCount = 0

  init(limit: Int) {
    self.limit = max(1, limit)
  }

  /// How many wait.
  var count: Int { elements.count }

  var isEmpty: Bool { elements.isEmpty && droppedCount == 0 }

  mutating func append(_ element: Element) {
    if elements.count == limit {
      elements.removeFirst()
      droppedCount += 1
    }
    elements.append(element)
  }

  /// Takes the oldest; before it, once, the notice of how many were dropped.
  mutating func next(noticing notice: (_ droppedCount: Int) -> Element) -> Element? {
    guard droppedCount == 0 else {
      defer { droppedCount = 0 }
      return notice(droppedCount)
    }
    return elements.popFirst()
  }

  mutating func removeAll() {
    elements = []
    droppedCount = 0
  }
}
