internal import DequeModule

/// A round-robin queue over users: each turn removes the oldest element of one user.
///
///     ann  1 2 3 ─┐
///     bob  4     ─┴─▶ 1 4 2 3
struct TurnQueue<User: Hashable, Element: Equatable> {
  private var lines: [User: Deque<Element>] = [:]
  /// The users with waiting elements, the next one first.
  private var turns: Deque<User> = []
  private(set) var count = 0

  /// Returns the number of waiting elements of a user.
  func count(of user: User) -> Int { lines[user]?.count ?? 0 }

  mutating func append(_ element: Element, of user: User) {
    if lines[user] == nil { turns.append(user) }
    lines[user, default: []].append(element)
    count += 1
  }

  mutating func popFirst() -> Element? {
    guard let user = turns.popFirst(), let element = lines[user]?.popFirst() else { return nil }
    count -= 1
    if lines[user]?.isEmpty == true { lines[user] = nil } else { turns.append(user) }
    return element
  }

  /// Removes the newest element of the longest line, if that is longer than a length.
  mutating func popLast(beyond length: Int) -> Element? {
    guard let (user, line) = lines.max(by: { $0.value.count < $1.value.count }),
      line.count > length, let element = line.last
    else { return nil }
    remove(element, of: user)
    return element
  }

  mutating func remove(_ element: Element, of user: User) {
    guard let place = lines[user]?.lastIndex(of: element) else { return }
    lines[user]?.remove(at: place)
    count -= 1
    guard lines[user]?.isEmpty == true else { return }
    lines[user] = nil
    turns.removeAll { $0 == user }
  }

  /// Removes all elements, in their order.
  mutating func removeAll() -> [Element] {
    var elements: [Element] = []
    while let element = popFirst() { elements.append(element) }
    return elements
  }
}
