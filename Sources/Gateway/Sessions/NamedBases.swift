/// The address bases named by the upgrade requests of open connections.
///
/// Each base is stored once, and sessions keep its number.
///
/// A base is removed with the last connection that named it. Confined to its shard.
struct NamedBases {
  private struct Entry {
    let base: String
    var useCount: Int
  }

  /// The bytes of the longest base: a host name has 255 at most.
  private static let byteLimit = "https://".utf8.count + 255

  private var numbers: [String: UInt16] = [:]
  /// Indexed by number, starting at 1; `nil` for a free number.
  private var entries: [Entry?] = []
  private var freeNumbers: [UInt16] = []

  /// The number of stored bases.
  var count: Int { numbers.count }

  /// Stores a base for a connection, until ``release(_:)``.
  ///
  /// - Returns: The number of the base; 0 when there is no base, it is too long, or there are too many.
  mutating func claim(_ base: String?) -> UInt16 {
    guard let base, base.utf8.count <= Self.byteLimit else { return 0 }
    if let number = numbers[base] {
      entries[Int(number) - 1]?.useCount += 1
      return number
    }
    let entry = Entry(base: base, useCount: 1)
    let number: UInt16
    if let free = freeNumbers.popLast() {
      number = free
      entries[Int(number) - 1] = entry
    } else {
      guard entries.count < UInt16.max else { return 0 }
      entries.append(entry)
      number = UInt16(entries.count)
    }
    numbers[base] = number
    return number
  }

  /// Ends a connection's use of a base.
  mutating func release(_ number: UInt16) {
    guard number != 0, let entry = entries[Int(number) - 1] else { return }
    guard entry.useCount == 1 else {
      entries[Int(number) - 1]?.useCount -= 1
      return
    }
    entries[Int(number) - 1] = nil
    numbers[entry.base] = nil
    freeNumbers.append(number)
  }

  subscript(number: UInt16) -> String? { number == 0 ? nil : entries[Int(number) - 1]?.base }
}
