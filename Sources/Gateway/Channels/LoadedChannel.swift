import FloodControl
import ParleyProtocol
import Store

/// A channel as it was read from the store, with the sends that its flood windows begin with.
struct LoadedChannel: Sendable {
  /// The newest sends that are read at most.
  static let sendLimit = 20_000

  let state: ChannelState
  /// The users' messages of the last flood window, oldest first.
  var recentSends: [RecentSend] = []
  /// Unix milliseconds of the reading.
  let time: Int64
}

extension StoreTransaction {
  /// A channel to take into memory, if there is one of this URL.
  ///
  /// An ephemeral channel has no messages, so its flood windows begin empty. Those of changes do so
  /// in every channel.
  func loadChannel(
    _ url: String, _ limits: LimitTable, at now: Int64
  ) throws -> LoadedChannel? {
    guard let state = try channel(url) else { return nil }
    var loaded = LoadedChannel(state: state, time: now)
    let flood = limits.floodLimit(of: state)
    if !flood.isOff, !state.channel.isEphemeral {
      loaded.recentSends = try recentSends(
        channelID: state.id, after: now - flood.windowMilliseconds,
        limit: LoadedChannel.sendLimit)
    }
    return loaded
  }
}
