/// The newest admission times, oldest first, in a ring that grows only as far as it is asked to.
///
/// 16 bytes when nothing is in it. The times that are appended never decrease.
struct AdmissionRing: Sendable {
  private var storage: [Int64] = []
  private var head: UInt32 = 0
  private var length: UInt32 = 0

  /// The newest time.
  var last: Int64? { fromNewest(1) }

  /// The `position`-th time counted back from the newest, which is the first; `nil` when there are
  /// fewer.
  func fromNewest(_ position: Int) -> Int64? {
    guard position >= 1, position <= Int(length) else { return nil }
    return storage[slot(Int(length) - position)]
  }

  /// Appends a time, and forgets the oldest when `capacity` are kept already.
  ///
  /// A capacity smaller than an earlier one forgets nothing at once: the limit may grow again.
  mutating func append(_ time: Int64, keeping capacity: Int) {
    if Int(length) == storage.count, storage.count < capacity {
      grow(to: min(capacity, max(4, storage.count * 2)))
    }
    if Int(length) < storage.count {
      storage[slot(Int(length))] = time
      length += 1
    } else {
      storage[Int(head)] = time
      head = UInt32(slot(1))
    }
  }

  /// Removes the newest entry that equals `time`, if there is one.
  mutating func removeNewest(equalTo time: Int64) {
    var index = Int(length) - 1
    while index >= 0, storage[slot(index)] > time { index -= 1 }
    guard index >= 0, storage[slot(index)] == time else { return }
    while index < Int(length) - 1 {
      storage[slot(index)] = storage[slot(index + 1)]
      index += 1
    }
    length -= 1
    if length == 0 { self = AdmissionRing() }
  }

  private mutating func grow(to capacity: Int) {
    var grown: [Int64] = []
    grown.reserveCapacity(capacity)
    for index in 0..<Int(length) { grown.append(storage[slot(index)]) }
    grown.append(contentsOf: repeatElement(0, count: capacity - Int(length)))
    storage = grown
    head = 0
  }

  private func slot(_ index: Int) -> Int {
    let position = Int(head) + index
    return position < storage.count ? position : position - storage.count
  }
}
