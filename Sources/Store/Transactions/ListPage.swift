import ParleyProtocol

/// An item of a page, with the bytes that it takes of an answer.
package struct PageItem<Value> {
  package var value: Value
  package var byteCount: Int

  package init(_ value: Value, byteCount: Int) {
    self.value = value
    self.byteCount = byteCount
  }
}

extension PageItem<[UInt8]> {
  /// An item that is encoded already.
  package init(json: [UInt8]) {
    self.init(json, byteCount: json.count)
  }
}

/// A form of the items of a list, and the bytes that each takes of an answer.
///
/// The store encodes each item on its own thread as it reads it, and lets go of the item. So a page
/// of large items is in memory once, encoded, and ends where an answer is full. It is a type of its
/// own and not a closure, so that an operation stays a value.
package protocol PageEncoder<Item>: Sendable {
  associatedtype Item
  associatedtype Encoded: Sendable

  func encode(_ item: Item) -> PageItem<Encoded>
}

/// A stretch of a list.
package struct ListPage<Value> {
  package var items: [Value]
  /// The token of the next page; empty at the end.
  package var next: String

  package init(items: [Value], next: String) {
    self.items = items
    self.next = next
  }
}

extension ListPage: Sendable where Value: Sendable {}

/// The bytes that a page may still take of an answer.
///
/// The first item is always let in, or a single large one would hold up the list for good.
package struct PageRoom {
  private var left: Int
  private var isUntouched = true

  package init(byteCount: Int) {
    left = byteCount
  }

  /// Takes the bytes of one more item and its comma.
  ///
  /// - Returns: Whether they fit.
  package mutating func admit(byteCount: Int) -> Bool {
    guard isUntouched || byteCount < left else { return false }
    isUntouched = false
    left -= min(byteCount, Int.max - 1) + 1
    return true
  }
}

extension PageRoom {
  /// Room for the items of one answer: the rest is for what stands around them.
  package static var answer: PageRoom { PageRoom(byteCount: Limits.answerByteCount - 4_096) }
}
