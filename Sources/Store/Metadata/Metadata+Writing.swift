import SQLite
import ParleyProtocol

/// Items are at most 25, keys at most 128 characters long and values 190, and those of a user 4,096
/// bytes together (`ServiceError`); no event tells of their change.
extension WriteTransaction {
  /// Adds items.
  ///
  /// - Returns: All items that there are now.
  /// - Throws: `StoreError.keyExists` when one is there already, `.tooManyItems`, `.tooLong`,
  ///   `.notFound` for an owner that there is not; then nothing is added.
  package func insertMetadata(
    _ items: [String: String], of owner: MetadataOwner
  ) throws -> [String: String] {
    let stored = try metadata(of: owner)
    if let key = items.keys.filter({ stored[$0] != nil }).min() {
      throw StoreError.keyExists(key)
    }
    return try saveMetadata(stored.merging(items) { _, new in new }, changed: items, of: owner)
  }

  /// Replaces the values of items; those that are not there are skipped or added.
  ///
  /// - Returns: The items that were written.
  /// - Throws: `StoreError.tooManyItems`, `.tooLong`, `.notFound` for an owner that there is not;
  ///   then nothing is changed.
  package func updateMetadata(
    _ items: [String: String], of owner: MetadataOwner, missing: MissingItems = .skip
  ) throws -> [String: String] {
    let stored = try metadata(of: owner)
    let written = missing == .insert ? items : items.filter { stored[$0.key] != nil }
    _ = try saveMetadata(stored.merging(written) { _, new in new }, changed: written, of: owner)
    return written
  }

  /// Removes an item.
  ///
  /// - Throws: `StoreError.notFound` for an owner or key that there is not.
  package func removeMetadata(_ key: String, of owner: MetadataOwner) throws {
    var items = try metadata(of: owner)
    guard items.removeValue(forKey: key) != nil else { throw StoreError.notFound(.metadata) }
    _ = try saveMetadata(items, changed: [:], of: owner)
  }

  /// Removes all items.
  ///
  /// - Throws: `StoreError.notFound` for an owner that there is not.
  package func removeAllMetadata(of owner: MetadataOwner) throws {
    let count = try connection.change(
      "UPDATE \(owner.table) SET metadata = NULL WHERE \(owner.column) = ?", [owner.name])
    guard count > 0 else { throw owner.absence }
  }

  private func saveMetadata(
    _ items: [String: String], changed: [String: String], of owner: MetadataOwner
  ) throws -> [String: String] {
    for (key, value) in changed {
      try MetadataLimits.check(key: key)
      try MetadataLimits.check(value: value, of: key)
    }
    if !changed.isEmpty {
      try MetadataLimits.check(count: items.count)
      // A channel's is bounded by its items: it is shown by the Platform API alone.
      if case .user = owner { try items.checkUserByteCount() }
    }
    try connection.execute(
      "UPDATE \(owner.table) SET metadata = ? WHERE \(owner.column) = ?",
      [StoredJSON.encodeUnlessEmpty(items), owner.name])
    return items
  }
}
