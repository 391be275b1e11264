import SQLite

extension StoreTransaction {
  /// The items that the application keeps with a user or a channel.
  ///
  /// - Throws: `StoreError.noUser` or `.notFound(.channel)` for an owner that there is not.
  package func metadata(of owner: MetadataOwner) throws -> [String: String] {
    let row = try connection.first(
      "SELECT metadata FROM \(owner.table) WHERE \(owner.column) = ?", [owner.name]
    ) { $0[0] as String? }
    guard let json = row else { throw owner.absence }
    return try json.map { try StoredJSON.decode([String: String].self, from: $0) } ?? [:]
  }

  /// The value of one item.
  ///
  /// - Throws: `StoreError.noUser` or `.notFound(.channel)` for an owner or key that there is not.
  package func metadata(_ key: String, of owner: MetadataOwner) throws -> String {
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

  var column: String {
    switch self {
    case .user: "user_id"
    case .channel: "url"
    }
  }

  var name: String {
    switch self {
    case .user(let id): id
    case .channel(let url): url
    }
  }

  /// Why nothing was found of it.
  var absence: StoreError {
    switch self {
    case .user(let id): .noUser(id)
    case .channel: .notFound(.channel)
    }
  }
}
