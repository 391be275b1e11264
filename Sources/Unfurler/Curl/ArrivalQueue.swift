/// First in, first out, in constant time on average.
struct ArrivalQueue<Element> {
  private var elements: [Element] = []
  private var head = 0

  var count: Int { elements.count - head }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    defer {
      head += 1
      compact()
    }
    return elements[head]
  }

  mutating func removeAll(where isRemoved: (Element) -> Bool) {
    elements.removeFirst(head)
    head = 0
    elements.removeAll(where: isRemoved)
  }

  private mutating func compact() {
    guard head >= 64, head * 2 >= elements.count else { return }
    elements.removeFirst(head)
    head = 0
  }
}
