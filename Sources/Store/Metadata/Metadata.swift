package import ParleyProtocol

/// The owner of metadata.
package enum MetadataOwner: Sendable, Hashable {
  /// By id.
  case user(String)
  /// By URL and kind.
  case channel(String, ChannelKind)
}

/// The treatment of missing items in an update.
package enum MissingItems: Sendable {
  /// Missing items are skipped.
  case skip
  /// Missing items are added.
  case insert
}

extension MetadataLimits {
  /// - Parameter known: The count before a change: a change that adds no items is allowed.
  /// - Throws: `StoreError.tooManyItems`.
  func check(count: Int, after known: Int) throws(StoreError) {
    guard count <= max(itemCount, known) else { throw .tooManyItems(limit: itemCount) }
  }

  /// - Parameter known: The bytes before a change: a change that adds none is allowed.
  /// - Throws: `StoreError.tooLarge`.
  func check(userByteCount count: Int, after known: Int) throws(StoreError) {
    guard count <= max(userByteCount, known) else {
      throw .tooLarge(byteCount: count, limit: userByteCount)
    }
  }

  /// - Throws: `StoreError.tooLong`, or `.unstorableText`.
  func check(key: String) throws(StoreError) {
    try key.checkStorable()
    guard key.unicodeScalars.count <= keyLength else {
      throw .tooLong(key: key, limit: keyLength)
    }
  }

  /// - Throws: `StoreError.tooLong`, or `.unstorableText`.
  func check(value: String, of key: String) throws(StoreError) {
    try value.checkStorable()
    guard value.unicodeScalars.count <= valueLength else {
      throw .tooLong(key: key, limit: valueLength)
    }
  }
}

extension StoreTransaction {
  /// The items that the application stores for a user or a channel.
  ///
  /// - Parameter lock: The lock to take on the owner's row.
  /// - Throws: `StoreError.noUser` or `.notFound(.channel)` for an owner that does not exist.
  func metadata(
    of owner: MetadataOwner, _ lock: StoreStatement = ""
  ) throws -> [String: String] {
    let row = try connection.first(
      "SELECT metadata FROM \(owner.table) WHERE \(owner.condition) \(lock)", owner.arguments
    ) { $0[0] as String? }
    guard let json = row else { throw owner.absence }
    return try json.map { try StoredJSON.decode([String: String].self, from: $0) } ?? [:]
  }

  /// The value of one item.
  ///
  /// - Throws: `StoreError.noUser` or `.notFound(.channel)` for an owner or key that does not exist.
  func metadata(_ key: String, of owner: MetadataOwner) throws -> String {
    guard let value = try metadata(of: owner)[key] else { throw StoreError.notFound(.metadata) }
    return value
  }
}

extension MetadataOwner {
  var table: String {
    switch self {
    case .user: "users"
    case .channel: "channels"
    }
  }

  /// For use after WHERE, with ``arguments``.
  var condition: StoreStatement {
    switch self {
    case .user: "user_id = ?"
    case .channel: "url = ? AND is_group = ?"
    }
  }

  var arguments: StoreArguments {
    switch self {
    case .user(let id): [id]
    case .channel(let url, let kind): [url, kind == .group]
    }
  }

  /// The error for an owner that does not exist.
  var absence: StoreError {
    switch self {
    case .user(let id): .noUser(id)
    case .channel: .notFound(.channel)
    }
  }
}

/// Items are within ``MetadataLimits``; no event reports their change.
///
/// A change locks the owner's row until its transaction ends, so that concurrent changes are not lost.
extension WriteTransaction {
  /// Adds items.
  ///
  /// - Returns: All items after the change.
  /// - Throws: `StoreError.keyExists` when a key exists already, `.tooManyItems`, `.tooLong`,
  ///   `.tooLarge`, `.notFound` for an owner that does not exist; then nothing is added.
  func insertMetadata(
    _ items: [String: String], of owner: MetadataOwner,
    within limits: MetadataLimits = MetadataLimits()
  ) throws -> [String: String] {
    let stored = try metadata(of: owner, .forUpdate)
    if let key = items.keys.filter({ stored[$0] != nil }).min() {
      throw StoreError.keyExists(key)
    }
    return try saveMetadata(items, over: stored, of: owner, within: limits)
  }

  /// Replaces the values of items; missing items are skipped or added.
  ///
  /// - Returns: The written items.
  /// - Throws: `StoreError.tooManyItems`, `.tooLong`, `.tooLarge`, `.notFound` for an owner that does
  ///   not exist; then nothing is changed.
  func updateMetadata(
    _ items: [String: String], of owner: MetadataOwner, missing: MissingItems = .skip,
    within limits: MetadataLimits = MetadataLimits()
  ) throws -> [String: String] {
    let stored = try metadata(of: owner, .forUpdate)
    let written = missing == .insert ? items : items.filter { stored[$0.key] != nil }
    _ = try saveMetadata(written, over: stored, of: owner, within: limits)
    return written
  }

  /// Removes an item.
  ///
  /// - Throws: `StoreError.notFound` for an owner or key that does not exist.
  func removeMetadata(_ key: String, of owner: MetadataOwner) throws {
    var items = try metadata(of: owner, .forUpdate)
    guard items.removeValue(forKey: key) != nil else { throw StoreError.notFound(.metadata) }
    try replaceMetadata(with: items, of: owner)
  }

  /// Removes all items.
  ///
  /// - Throws: `StoreError.notFound` for an owner that does not exist.
  func removeAllMetadata(of owner: MetadataOwner) throws {
    let count = try connection.change(
      "UPDATE \(owner.table) SET metadata = NULL WHERE \(owner.condition)", owner.arguments)
    guard count > 0 else { throw owner.absence }
  }

  private func saveMetadata(
    _ changed: [String: String], over stored: [String: String], of owner: MetadataOwner,
    within limits: MetadataLimits
  ) throws -> [String: String] {
    for (key, value) in changed {
      try limits.check(key: key)
      try limits.check(value: value, of: key)
    }
    let items = stored.merging(changed) { _, new in new }
    try limits.check(count: items.count, after: stored.count)
    // A channel has only the limit of items: only the Platform API shows its metadata.
    if case .user = owner {
      try limits.check(userByteCount: items.userByteCount, after: stored.userByteCount)
    }
    try replaceMetadata(with: items, of: owner)
    return items
  }

  private func replaceMetadata(with items: [String: String], of owner: MetadataOwner) throws {
    try connection.execute(
      "UPDATE \(owner.table) SET metadata = ? WHERE \(owner.condition)",
      [StoredJSON.encodeUnlessEmpty(items)] + owner.arguments)
  }
}

/// Reads items of metadata.
///
/// Errors: `noUser` or `notFound(.channel)` for an owner that is missing.
package struct MetadataLookup: StoreLookup {
  package var owner: MetadataOwner
  /// Only these, if they exist; empty for all.
  package var keys: [String]

  package init(of owner: MetadataOwner, keys: [String] = []) {
    self.owner = owner
    self.keys = keys
  }

  package var statements: ReadStatements<[String: String]> {
    .init {
      try $0.metadata(of: owner).filter { keys.isEmpty || keys.contains($0.key) }
    }
  }
}

/// Reads the value of one item of metadata.
///
/// Errors: those of ``MetadataLookup``, and `notFound(.metadata)`.
package struct MetadataItemLookup: StoreLookup {
  package var key: String
  package var owner: MetadataOwner

  package init(_ key: String, of owner: MetadataOwner) {
    self.key = key
    self.owner = owner
  }

  package var statements: ReadStatements<String> { .init { try $0.metadata(key, of: owner) } }
}

/// Changes items of metadata, all of them or none.
///
/// Errors: `noUser` or `notFound(.channel)` for an owner that is missing, `keyExists`,
/// `notFound(.metadata)`, `tooManyItems`, `tooLong`, `tooLarge`.
package struct MetadataChange: StoreWrite {
  package enum Action: Sendable, Hashable {
    /// Adds items, none of which may exist.
    case insert([String: String])
    /// Replaces values.
    case update([String: String], missing: MissingItems)
    /// Removes an item, which must exist.
    case remove(String)
    case removeAll
  }

  package struct Outcome: Sendable, Hashable {
    /// All items after an insertion, the written items after an update, otherwise none.
    package var written: [String: String]
    /// All items after the change.
    package var items: [String: String]
  }

  package var action: Action
  package var owner: MetadataOwner
  /// The limits on added items.
  package var limits: MetadataLimits

  package init(
    _ action: Action, of owner: MetadataOwner, within limits: MetadataLimits = MetadataLimits()
  ) {
    self.action = action
    self.owner = owner
    self.limits = limits
  }

  package var statements: WriteStatements<Outcome> {
    .init { transaction in
      var written: [String: String] = [:]
      switch action {
      case .insert(let items):
        written = try transaction.insertMetadata(items, of: owner, within: limits)
      case .update(let items, let missing):
        written = try transaction.updateMetadata(
          items, of: owner, missing: missing, within: limits)
      case .remove(let key): try transaction.removeMetadata(key, of: owner)
      case .removeAll: try transaction.removeAllMetadata(of: owner)
      }
      return Outcome(written: written, items: try transaction.metadata(of: owner))
    }
  }
}
