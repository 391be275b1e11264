import Channels
import ParleyProtocol
import Store

/// What is done with channels that need not be in memory.
extension Shard {
  /// Makes a channel, where it will be at home.
  ///
  /// - Parameter answer: Called once, on the channel's shard.
  func create(
    _ channel: Channel,
    then answer: @escaping @Sendable (Shard, Result<ChannelInfo, ServiceError>) -> Void
  ) {
    do throws(ServiceError) {
      try channel.checkSize()
      try channel.checkOperatorCount("operator_ids")
    } catch {
      return post(toChannel: channel.url) { answer($0, .failure(error)) }
    }
    post(toChannel: channel.url) { shard in
      let handle = shard.handle
      shard.services.store.write {
        try $0.createChannel(channel, epoch: Identifiers.epoch())
      } completion: { result in
        handle.post { shard in
          answer(
            shard,
            result.mapError { error in
              error as? StoreError == .exists ? .exists(.channel, channel.url) : ServiceError(error)
            }.map { state in
              shard.channels.insert(state)
              return ChannelInfo(state.channel, participantCount: 0)
            })
        }
      }
    }
  }

  /// Lists channels, newest first, and encodes each of them on the store's thread as it is read.
  ///
  /// - Parameter answer: Called once, on this shard.
  func listChannels(
    _ query: ChannelQuery, for caller: QueryCaller,
    _ encode: @escaping @Sendable (ChannelInfo, inout JSONWriter) -> Void,
    then answer: @escaping @Sendable (Shard, Result<[UInt8], ServiceError>) -> Void
  ) {
    let handle = handle
    let services = services
    services.store.query(for: caller.principal) { [counts = services.participantCounts] in
      try $0.listChannels(query) { channel in
        PageItem {
          encode(ChannelInfo(channel, participantCount: counts[channel.url]), &$0)
        }
      }.encoded(as: "channels")
    } completion: { result, cost in
      caller.pay(cost, to: services)
      handle.post { answer($0, result.serviceResult) }
    }
  }
}

extension Channel {
  /// - Throws: 400203 when the channel has more operators than one may have.
  fileprivate func checkOperatorCount(_ field: String) throws(ServiceError) {
    guard operators.count <= Limits.operatorCount else {
      throw .tooMany(field, limit: Limits.operatorCount)
    }
  }
}
