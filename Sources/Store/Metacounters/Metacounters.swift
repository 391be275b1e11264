import Channels
package import ParleyProtocol

/// The effect of an update on a counter (`mode` of the request).
package enum MetacounterMode: String, Sendable, CaseIterable {
  case set
  case increase
  case decrease

  /// The counter afterwards; `nil` when it would overflow.
  func applied(_ number: Int64, to value: Int64) -> Int64? {
    let result: (partialValue: Int64, overflow: Bool) =
      switch self {
      case .set: (number, false)
      case .increase: value.addingReportingOverflow(number)
      case .decrease: value.subtractingReportingOverflow(number)
      }
    return result.overflow ? nil : result.partialValue
  }
}

extension StoreTransaction {
  /// The counters that the application stores for a channel.
  ///
  /// - Parameter keys: Only these, if they exist; empty for all.
  func metacounters(
    ofChannel url: String, _ kind: ChannelKind, keys: [String] = []
  ) throws -> [String: Int64] {
    let counters = try metacounters(channelID: channelNumber(url, kind))
    return keys.isEmpty ? counters : counters.filter { keys.contains($0.key) }
  }

  /// The value of one counter.
  ///
  /// - Throws: `StoreError.notFound` for a channel or key that does not exist.
  func metacounter(_ key: String, ofChannel url: String, _ kind: ChannelKind) throws -> Int64 {
    guard let value = try metacounters(ofChannel: url, kind)[key] else {
      throw StoreError.notFound(.metacounter)
    }
    return value
  }

  /// The counters of a channel; at most as many as a channel may have.
  func metacounters(channelID: Int64) throws -> [String: Int64] {
    let rows = try connection.all(
      "SELECT key, value FROM metacounters WHERE channel_id = ?", [channelID]
    ) { ($0[0] as String, $0[1] as Int64) }
    return Dictionary(rows) { first, _ in first }
  }

  /// The store's own number of a channel.
  ///
  /// - Parameter kind: The kind of the channel; `nil` for any.
  /// - Throws: `StoreError.notFound` without such a channel.
  func channelNumber(_ url: String, _ kind: ChannelKind? = nil) throws -> Int64 {
    guard let state = try channelRow(url), state.channel.kind == kind ?? state.channel.kind else {
      throw StoreError.notFound(.channel)
    }
    return state.id
  }
}

/// Counters are within ``MetadataLimits``.
///
/// A change locks the channel's row until its transaction ends, so that concurrent changes are not lost.
extension WriteTransaction {
  /// Adds counters.
  ///
  /// - Returns: All counters after the change.
  /// - Throws: `StoreError.keyExists` when a key exists already, `.tooManyItems`, `.tooLong`,
  ///   `.notFound(.channel)`; then nothing is added.
  func insertMetacounters(
    _ counters: [String: Int64], ofChannel url: String, _ kind: ChannelKind,
    within limits: MetadataLimits = MetadataLimits()
  ) throws -> [String: Int64] {
    let channelID = try heldChannelNumber(url, kind)
    let stored = try metacounters(channelID: channelID)
    if let key = counters.keys.filter({ stored[$0] != nil }).min() {
      throw StoreError.keyExists(key)
    }
    try saveMetacounters(counters, over: stored, channelID: channelID, within: limits)
    return stored.merging(counters) { _, new in new }
  }

  /// Changes counters by the given numbers; missing counters are skipped, or added as if they had been
  /// 0.
  ///
  /// - Returns: The changed counters, with their new values.
  /// - Throws: `StoreError.counterOverflow`, `.tooManyItems`, `.tooLong`, `.notFound(.channel)`;
  ///   then nothing is changed.
  func updateMetacounters(
    _ numbers: [String: Int64], ofChannel url: String, _ kind: ChannelKind,
    _ change: MetacounterMode = .set,
    missing: MissingItems = .skip, within limits: MetadataLimits = MetadataLimits()
  ) throws -> [String: Int64] {
    let channelID = try heldChannelNumber(url, kind)
    let stored = try metacounters(channelID: channelID)
    var changed: [String: Int64] = [:]
    for (key, number) in numbers where missing == .insert || stored[key] != nil {
      guard let value = change.applied(number, to: stored[key] ?? 0) else {
        throw StoreError.counterOverflow(key: key)
      }
      changed[stored.spelling(of: key)] = value
    }
    try saveMetacounters(changed, over: stored, channelID: channelID, within: limits)
    return changed
  }

  /// Removes a counter.
  ///
  /// - Throws: `StoreError.notFound` for a channel or key that does not exist.
  func removeMetacounter(_ key: String, ofChannel url: String, _ kind: ChannelKind) throws {
    let channelID = try heldChannelNumber(url, kind)
    let stored = try metacounters(channelID: channelID)
    guard stored[key] != nil else { throw StoreError.notFound(.metacounter) }
    try connection.execute(
      "DELETE FROM metacounters WHERE channel_id = ? AND key = ?",
      [channelID, stored.spelling(of: key)])
  }

  /// Removes all counters of a channel.
  ///
  /// - Throws: `StoreError.notFound(.channel)`.
  func removeAllMetacounters(ofChannel url: String, _ kind: ChannelKind) throws {
    try connection.execute(
      "DELETE FROM metacounters WHERE channel_id = ?", [heldChannelNumber(url, kind)])
  }

  private func heldChannelNumber(_ url: String, _ kind: ChannelKind) throws -> Int64 {
    let id = try connection.first(
      "SELECT channel_id FROM channels WHERE url = ? AND is_group = ? \(.forUpdate)",
      [url, kind == .group]
    ) { $0[0] as Int64 }
    guard let id else { throw StoreError.notFound(.channel) }
    return id
  }

  private func saveMetacounters(
    _ changed: [String: Int64], over stored: [String: Int64], channelID: Int64,
    within limits: MetadataLimits
  ) throws {
    for key in changed.keys { try limits.check(key: key) }
    let added = changed.keys.count { stored[$0] == nil }
    try limits.check(count: stored.count + added, after: stored.count)
    for (key, value) in changed {
      try connection.execute(
        """
        INSERT INTO metacounters (channel_id, key, value) VALUES (?, ?, ?)
        ON CONFLICT (channel_id, key) DO UPDATE SET value = excluded.value
        """,
        [channelID, key, value])
    }
  }
}

extension [String: Int64] {
  /// The spelling of the key used here: canonically equivalent spellings are one key in Swift, but not
  /// in SQLite.
  fileprivate func spelling(of key: String) -> String {
    index(forKey: key).map { self[$0].key } ?? key
  }
}

/// Reads counters of a channel.
///
/// Error: `notFound(.channel)`.
package struct MetacounterLookup: StoreLookup {
  package var channelURL: String
  package var kind: ChannelKind
  /// Only these, if they exist; empty for all.
  package var keys: [String]

  package init(ofChannel channelURL: String, _ kind: ChannelKind, keys: [String] = []) {
    self.channelURL = channelURL
    self.kind = kind
    self.keys = keys
  }

  package var statements: ReadStatements<[String: Int64]> {
    .init { try $0.metacounters(ofChannel: channelURL, kind, keys: keys) }
  }
}

/// Reads the value of one counter of a channel.
///
/// Errors: `notFound(.channel)`, `notFound(.metacounter)`.
package struct MetacounterItemLookup: StoreLookup {
  package var key: String
  package var channelURL: String
  package var kind: ChannelKind

  package init(_ key: String, ofChannel channelURL: String, _ kind: ChannelKind) {
    self.key = key
    self.channelURL = channelURL
    self.kind = kind
  }

  package var statements: ReadStatements<Int64> {
    .init { try $0.metacounter(key, ofChannel: channelURL, kind) }
  }
}

/// Changes counters of a channel, all of them or none.
///
/// The outcome contains all counters after an insertion, the changed ones after an update, otherwise
/// none. Errors: `notFound(.channel)`, `keyExists`, `notFound(.metacounter)`, `tooManyItems`, `tooLong`,
/// `counterOverflow`.
package struct MetacounterChange: StoreWrite {
  package enum Action: Sendable, Hashable {
    /// Adds counters, none of which may exist.
    case insert([String: Int64])
    /// Changes counters by the given numbers.
    case update([String: Int64], MetacounterMode, missing: MissingItems)
    /// Removes a counter, which must exist.
    case remove(String)
    case removeAll
  }

  package var action: Action
  package var channelURL: String
  package var kind: ChannelKind
  /// The limits on added items.
  package var limits: MetadataLimits

  package init(
    _ action: Action, ofChannel channelURL: String, _ kind: ChannelKind,
    within limits: MetadataLimits = MetadataLimits()
  ) {
    self.action = action
    self.channelURL = channelURL
    self.kind = kind
    self.limits = limits
  }

  package var statements: WriteStatements<[String: Int64]> {
    .init { transaction in
      switch action {
      case .insert(let counters):
        return try transaction.insertMetacounters(
          counters, ofChannel: channelURL, kind, within: limits)
      case .update(let numbers, let mode, let missing):
        return try transaction.updateMetacounters(
          numbers, ofChannel: channelURL, kind, mode, missing: missing, within: limits)
      case .remove(let key): try transaction.removeMetacounter(key, ofChannel: channelURL, kind)
      case .removeAll: try transaction.removeAllMetacounters(ofChannel: channelURL, kind)
      }
      return [:]
    }
  }
}
