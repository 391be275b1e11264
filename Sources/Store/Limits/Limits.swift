package import Channels
import Basics
import ParleyProtocol

extension StoreTransaction {
  /// The limits and word filters of the deployment and of custom types; a channel's own limits are in its `ChannelState`.
  func limitOverrides() throws -> LimitOverrides {
    var overrides = LimitOverrides()
    let rows = try connection.all("SELECT scope, name, kind, messages, window_ms FROM limits", []) {
      row -> (isDeployment: Bool, name: String, kind: LimitKind?, limit: LimitOverride) in
      (
        row[0] == "deployment", row[1], LimitKind(rawValue: row[2]),
        LimitOverride(messages: row[3], windowMilliseconds: row[4])
      )
    }
    for row in rows {
      guard let kind = row.kind else { continue }
      if row.isDeployment {
        overrides.deployment[kind] = row.limit
      } else {
        overrides.customTypes[row.name, default: [:]][kind] = row.limit
      }
    }
    overrides.wordFilters = try wordFilters()
    return overrides
  }

  /// The limit that is set for this scope itself.
  func limitOverride(_ kind: LimitKind, for scope: LimitScope) throws -> LimitOverride? {
    switch scope {
    case .deployment: try limitOverrides().deployment[kind]
    case .customType(let name): try limitOverrides().customTypes[name]?[kind]
    case .channel(let url):
      switch kind {
      case .flood: try channelRow(url)?.floodOverride
      case .throttle: try channelRow(url)?.throttleOverride
      }
    }
  }
}

extension WriteTransaction {
  /// Sets a limit for a scope; `nil` removes it, so that the more general one applies again.
  ///
  /// - Throws: `StoreError.notFound(.channel)`.
  func setLimitOverride(
    _ limit: LimitOverride?, _ kind: LimitKind, for scope: LimitScope
  ) throws {
    switch scope {
    case .deployment: try setLimit(limit, kind, scope: "deployment", name: "")
    case .customType(let name): try setLimit(limit, kind, scope: "custom_type", name: name)
    case .channel(let url):
      let column = kind.rawValue
      let count = try connection.change(
        "UPDATE channels SET \(column)_messages = ?, \(column)_window_ms = ? WHERE url = ?",
        [limit?.messages, limit?.windowMilliseconds, url])
      guard count > 0 else { throw StoreError.notFound(.channel) }
    }
  }

  /// Removes all limits of a scope, so that the more general ones apply again.
  ///
  /// - Throws: `StoreError.notFound(.channel)`.
  func removeLimitOverrides(for scope: LimitScope) throws {
    for kind in LimitKind.allCases { try setLimitOverride(nil, kind, for: scope) }
  }

  private func setLimit(
    _ limit: LimitOverride?, _ kind: LimitKind, scope: String, name: String
  ) throws {
    guard let limit else {
      return try connection.execute(
        "DELETE FROM limits WHERE scope = ? AND name = ? AND kind = ?",
        [scope, name, kind.rawValue])
    }
    try connection.execute(
      """
      INSERT INTO limits (scope, name, kind, messages, window_ms) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (scope, name, kind) DO UPDATE
        SET messages = excluded.messages, window_ms = excluded.window_ms
      """, [scope, name, kind.rawValue, limit.messages, limit.windowMilliseconds])
  }
}

/// The limits set for a channel itself.
package struct ChannelLimits: Sendable, Hashable {
  /// The channel's URL.
  package var url: String
  package var overrides: [LimitKind: LimitOverride]
}

/// A page of channels with limits of their own.
package struct ChannelLimitsPage: Sendable, Hashable {
  package var channels: [ChannelLimits]
  /// The token of the next page; empty at the end.
  package var next: String
}

extension StoreTransaction {
  /// A page of the channels that have limits of their own, the oldest channel first.
  ///
  /// - Parameter limit: 1 to 100.
  /// - Throws: `StoreError.invalidPageToken` for a token of another list.
  func listChannelLimits(
    limit: Int = 10, token: String? = nil
  ) throws -> ChannelLimitsPage {
    let limit = min(max(limit, 1), 100)
    let cursor = PageCursor<Int64>(of: ["limits"])
    let position = (token ?? "").isEmpty ? 0 : cursor.position(in: token ?? "")
    guard let position else { throw StoreError.invalidPageToken }
    let states = try connection.all(
      """
      SELECT \(ChannelState.columns) FROM channels \(.index("channels_with_limits"))
      WHERE channel_id > ? AND (flood_messages IS NOT NULL OR throttle_messages IS NOT NULL)
      ORDER BY channel_id LIMIT ?
      """, [position, limit + 1]
    ) { try ChannelState(row: $0, connection.fileURL) }
    let page = states.prefix(limit)
    let next = states.count > limit ? page.last?.id : nil
    return ChannelLimitsPage(
      channels: page.map(ChannelLimits.init),
      next: next.map(cursor.token) ?? "")
  }
}

extension ChannelLimits {
  fileprivate init(_ state: ChannelState) {
    url = state.channel.url
    overrides = [:]
    overrides[.flood] = state.floodOverride
    overrides[.throttle] = state.throttleOverride
  }
}

/// Reads the limits and word filters that are set for the deployment and for custom types.
package struct SharedLimits: StoreLookup {
  package init() {}

  package var statements: ReadStatements<LimitOverrides> { .init { try $0.limitOverrides() } }
}

/// Changes the limits of one scope.
///
/// Error: `notFound(.channel)`.
package struct LimitChange: StoreWrite {
  package enum Action: Sendable, Hashable {
    case set([LimitKind: LimitParts])
    /// Removes both limits, so that the more general ones apply again.
    case removeAll
  }

  /// A limit that a request sets completely or in part.
  package struct LimitParts: Sendable, Hashable {
    package var messages: Int?
    package var windowMilliseconds: Int64?
    /// The limit that supplies missing parts when the scope has none of its own.
    package var general: LimitOverride

    package init(messages: Int?, windowMilliseconds: Int64?, general: LimitOverride) {
      self.messages = messages
      self.windowMilliseconds = windowMilliseconds
      self.general = general
    }

    fileprivate func completed(by present: LimitOverride?) -> LimitOverride {
      let present = present ?? general
      return LimitOverride(
        messages: messages ?? present.messages,
        windowMilliseconds: windowMilliseconds ?? present.windowMilliseconds)
    }
  }

  package struct Outcome: Sendable, Hashable {
    /// All limits of the deployment and of custom types after the change.
    package var shared: LimitOverrides
    /// The limits of this scope itself after the change.
    package var own: [LimitKind: LimitOverride]
  }

  package var action: Action
  package var scope: LimitScope

  package init(_ action: Action, for scope: LimitScope) {
    self.action = action
    self.scope = scope
  }

  package var statements: WriteStatements<Outcome> {
    .init { transaction in
      switch action {
      case .set(let limits):
        for (kind, parts) in limits {
          let limit = parts.completed(by: try transaction.limitOverride(kind, for: scope))
          try transaction.setLimitOverride(limit, kind, for: scope)
        }
      case .removeAll: try transaction.removeLimitOverrides(for: scope)
      }
      switch scope {
      case .deployment, .customType: try transaction.announce(.limits)
      case .channel: break
      }
      var own: [LimitKind: LimitOverride] = [:]
      for kind in LimitKind.allCases {
        own[kind] = try transaction.limitOverride(kind, for: scope)
      }
      return Outcome(shared: try transaction.limitOverrides(), own: own)
    }
  }
}
