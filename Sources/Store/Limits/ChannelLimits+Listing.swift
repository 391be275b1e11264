import Basics
import SQLite
import ParleyProtocol

extension StoreTransaction {
  /// A page of the channels that have limits of their own, the oldest channel first.
  ///
  /// - Parameter limit: 1 to 100.
  /// - Throws: `StoreError.invalidPageToken` for a token that is not one of this list.
  package func listChannelLimits(
    limit: Int = 10, token: String? = nil
  ) throws -> ChannelLimitsPage {
    let limit = min(max(limit, 1), 100)
    let cursor = PageCursor<Int64>(of: ["limits"])
    let position = (token ?? "").isEmpty ? 0 : cursor.position(in: token ?? "")
    guard let position else { throw StoreError.invalidPageToken }
    let states = try connection.all(
      """
      SELECT \(ChannelState.columns) FROM channels INDEXED BY channels_with_limits
      WHERE channel_id > ? AND (flood_messages IS NOT NULL OR throttle_messages IS NOT NULL)
      ORDER BY channel_id LIMIT ?
      """, [position, limit + 1], ChannelState.init(row:))
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
