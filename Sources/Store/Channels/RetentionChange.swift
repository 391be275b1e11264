package import Channels
import Basics

/// Changes the own retention of a channel.
///
/// Outcome: the retention as it is now. Error: `notFound(.channel)`.
package struct RetentionChange: StoreWrite {
  package enum Action: Sendable, Hashable {
    /// Sets the age at which messages are removed; `nil` leaves that to the deployment's rule.
    case survive(seconds: Int64?)
    /// Begins or ends a legal hold.
    case hold(Bool)
  }

  /// The channel's URL.
  package var url: String
  package var action: Action

  package init(_ action: Action, of url: String) {
    self.url = url
    self.action = action
  }

  package var statements: WriteStatements<ChannelRetention> {
    .init { transaction in
      switch action {
      case .survive(let seconds):
        try transaction.connection.execute(
          "UPDATE channels SET survival_seconds = ? WHERE url = ?", [seconds, url])
      case .hold(let isHeld):
        try transaction.connection.execute(
          "UPDATE channels SET is_held = ? WHERE url = ?", [isHeld, url])
      }
      guard let state = try transaction.channelRow(url) else { throw StoreError.notFound(.channel) }
      return state.retention
    }
  }
}

/// Lists the channels that a legal hold keeps, the oldest first.
///
/// Error: `invalidPageToken`.
package struct HeldChannels: StoreQuery {
  package struct Page: Sendable, Hashable {
    /// The channels' URLs and kinds.
    package var channels: [Channel]
    /// The token of the next page; empty at the end.
    package var next: String
  }

  package struct Channel: Sendable, Hashable {
    package var url: String
    package var isGroup: Bool
  }

  /// 1 to 100.
  package var limit: Int
  /// The token of the page; `nil` or empty for the first page.
  package var token: String?

  package init(limit: Int, token: String?) {
    self.limit = limit
    self.token = token
  }

  package var statements: ReadStatements<Page> {
    .init { transaction in
      let cursor = PageCursor<Int64>(of: ["holds"])
      let position = (token ?? "").isEmpty ? 0 : cursor.position(in: token ?? "")
      guard let position else { throw StoreError.invalidPageToken }
      let rows = try transaction.connection.all(
        """
        SELECT channel_id, url, is_group FROM channels \(.index("channels_held"))
        WHERE channel_id > ? AND is_held = 1 ORDER BY channel_id LIMIT ?
        """, [position, limit + 1]
      ) { (id: $0[0] as Int64, channel: Channel(url: $0[1], isGroup: $0[2])) }
      let page = rows.prefix(limit)
      let next = rows.count > limit ? page.last?.id : nil
      return Page(channels: page.map(\.channel), next: next.map(cursor.token) ?? "")
    }
  }
}
