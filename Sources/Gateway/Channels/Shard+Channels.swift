import Channels
import ParleyProtocol
import ShardMessages
import Store

/// What is done with channels that need not be in memory.
extension Shard {
  /// Makes a channel, which will be at home here.
  func create(_ channel: Channel, replyTo address: CallAddress) {
    do throws(ServiceError) {
      try channel.checkSize()
      try channel.checkOperatorCount("operator_ids")
    } catch {
      return answerCreation(.failure(error), to: address)
    }
    let path = returnPath
    services.store.write {
      try $0.createChannel(channel, epoch: Identifiers.epoch())
    } completion: { result in
      path.resume { shard in
        let created = result.mapError { error in
          error as? StoreError == .exists ? .exists(.channel, channel.url) : ServiceError(error)
        }.map { state in
          shard.channels.insert(state)
          return ChannelView(channel: state.channel, participantCount: 0)
        }
        shard.answerCreation(created, to: address)
      }
    }
  }

  private func answerCreation(
    _ result: Result<ChannelView, ServiceError>, to address: CallAddress
  ) {
    switch address {
    case .session(let call): reply(to: call, result.map { $0.encodedAsResult() })
    case .exchange(let exchange): Completion(exchange, services.shards).channel(result)
    }
  }

  /// Lists channels, newest first, and encodes each of them on the store's thread as it is read.
  ///
  /// - Parameter answer: Called once, on this shard.
  func listChannels(
    _ query: ChannelQuery, for caller: QueryCaller,
    _ encode: @escaping @Sendable (ChannelView, inout JSONWriter) -> Void,
    then answer: @escaping @Sendable (Shard, Result<[UInt8], ServiceError>) -> Void
  ) {
    let path = returnPath
    let services = services
    services.store.query(for: caller.principal) { [counts = services.participantCounts] in
      try $0.listChannels(query) { channel in
        PageItem {
          encode(ChannelView(channel: channel, participantCount: counts[channel.url]), &$0)
        }
      }.encoded(as: "channels")
    } completion: { result, cost in
      caller.pay(cost, to: services)
      path.resume { answer($0, result.serviceResult) }
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
