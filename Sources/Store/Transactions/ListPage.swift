import ParleyProtocol

/// An item of a page, with its size in an answer.
package struct PageItem<Value> {
  package var value: Value
  package var byteCount: Int

  package init(_ value: Value, byteCount: Int) {
    self.value = value
    self.byteCount = byteCount
  }
}

extension PageItem<[UInt8]> {
  /// An item that is already encoded.
  package init(json: [UInt8]) {
    self.init(json, byteCount: json.count)
  }
}

/// The encoding of the items of a list, and the size of each in an answer.
///
/// The store encodes each item on its own thread as it is read, and then releases the item. So a page of
/// large items is in memory once, encoded, and ends where an answer is full. It is a type and not a
/// closure, so that an operation remains a value.
package protocol PageEncoder<Item>: Sendable {
  associatedtype Item
  associatedtype Encoded: Sendable

  func encode(_ item: Item) -> PageItem<Encoded>
}

/// A range of a list.
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

/// The remaining bytes of an answer for a page.
///
/// The first item always fits, because a single large item would otherwise block the list permanently.
package struct PageRoom {
  private var left: Int
  private var isUntouched = true

  package init(byteCount: Int) {
    left = byteCount
  }

  /// Reserves the bytes of one more item and its comma.
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
  /// Room for the items of one answer: the rest is for the JSON around them.
  package static var answer: PageRoom { PageRoom(byteCount: Limits.answerByteCount - 4_096) }
}
