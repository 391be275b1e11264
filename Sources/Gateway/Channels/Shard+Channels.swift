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
    then answer: @escaping @Sendable (Shard, Result<ChannelView, ServiceError>) -> Void
  ) {
    do throws(ServiceError) {
      try channel.checkSize()
      try channel.checkOperatorCount("operator_ids")
    } catch {
      return post(toChannel: channel.url) { answer($0, .failure(error)) }
    }
    post(toChannel: channel.url) { shard in
      let handle = shard.handle
      let entry = LogEntry.create(channel, epoch: Identifiers.epoch())
      let reply = LogReply { created in
        handle.post { shard in answer(shard, shard.takeIn(created.result, channel.url)) }
      }
      shard.writes.submit(LogSubmission(LogTicket(number: 0), entry), to: reply)
    }
  }

  /// Takes a channel into memory that was just created.
  private func takeIn(_ result: LogResult, _ url: String) -> Result<ChannelView, ServiceError> {
    switch result {
    case .success(.channel(let state)):
      channels.insert(state)
      return .success(ChannelView(channel: state.channel, participantCount: 0))
    case .success: return .failure(.internalError)
    case .failure(.exists): return .failure(.exists(.channel, url))
    case .failure(let error): return .failure(ServiceError(error))
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
    let handle = handle
    let services = services
    let counts = services.participantCounts
    let encoder = JSONPageEncoder<Channel> { channel, writer in
      encode(ChannelView(channel: channel, participantCount: counts[channel.url]), &writer)
    }
    services.store.perform(ChannelListing(query, as: encoder), for: caller.principal) {
      result, cost in
      caller.pay(cost, to: services)
      let page = result.serviceResult.map { $0.encoded(as: "channels") }
      handle.post { answer($0, page) }
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
