/// The rows after the current one that match, as far as they are known.
///
/// The first column of a list's rows states whether the row matches.
struct UpcomingRows {
  /// Maximum number of rows whose items are read at once: each may be large.
  private static let blockLimit = 64

  private let rows: StoreRows
  private let limit: Int

  /// - Parameter limit: The number of items that the list may include after the current one.
  init(_ rows: StoreRows, limit: Int) {
    self.rows = rows
    self.limit = min(limit, Self.blockLimit - 1)
  }

  /// The values of a column.
  func values<T: StoreColumn>(_ column: Int) -> [T] {
    guard limit > 0 else { return [] }
    return rows.upcoming.lazy.filter { $0[0] as Bool }.prefix(limit).map { $0[column] as T }
  }
}

/// Items of a list by their keys; several are read in one statement where each statement costs a round
/// trip.
struct ReadAhead<Key: Hashable, Item> {
  private var items: [Key: Item] = [:]

  /// The item of the current row; `nil` when there is none.
  ///
  /// - Parameters:
  ///   - upcoming: The keys of the rows after it.
  ///   - read: Reads the items of the given keys.
  mutating func item(
    _ key: Key, upcoming: @autoclosure () -> [Key], read: ([Key]) throws -> [Key: Item]
  ) throws -> Item? {
    if let item = take(key) { return item }
    items = try read([key] + upcoming())
    return take(key)
  }

  /// An item that was read before.
  mutating func take(_ key: Key) -> Item? { items.removeValue(forKey: key) }

  /// Stores items that were read, replacing the remaining ones.
  mutating func fill(_ read: [Key: Item]) { items = read }
}
