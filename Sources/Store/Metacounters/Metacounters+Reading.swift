import SQLite

extension StoreTransaction {
  /// The counters that the application keeps with a channel.
  ///
  /// - Parameter keys: Only these, as far as there are such; empty for all.
  /// - Throws: `StoreError.notFound(.channel)`.
  package func metacounters(
    ofChannel url: String, keys: [String] = []
  ) throws -> [String: Int64] {
    let counters = try metacounters(channelID: channelNumber(url))
    return keys.isEmpty ? counters : counters.filter { keys.contains($0.key) }
  }

  /// The value of one counter.
  ///
  /// - Throws: `StoreError.notFound` for a channel or key that there is not.
  package func metacounter(_ key: String, ofChannel url: String) throws -> Int64 {
    guard let value = try metacounters(ofChannel: url)[key] else {
      throw StoreError.notFound(.metacounter)
    }
    return value
  }

  /// At most as many as a channel may have: 25.
  func metacounters(channelID: Int64) throws -> [String: Int64] {
    let rows = try connection.all(
      "SELECT key, value FROM metacounters WHERE channel_id = ?", [channelID]
    ) { ($0[0] as String, $0[1] as Int64) }
    return Dictionary(rows) { first, _ in first }
  }

  /// The store's own number of a channel.
  func channelNumber(_ url: String) throws -> Int64 {
    guard let id = try channelRow(url)?.id else { throw StoreError.notFound(.channel) }
    return id
  }
}
