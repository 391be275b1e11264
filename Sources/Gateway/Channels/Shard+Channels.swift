import Channels
import ParleyProtocol
import Store

/// Operations on channels that need not be in memory.
extension Shard {
  /// Creates a channel that is at home here.
  func create(_ channel: Channel, replyTo address: CallAddress) {
    do throws(ServiceError) {
      try channel.checkSize()
      try channel.checkOperatorCount("operator_ids")
    } catch {
      return answerCreation(.failure(error), to: address)
    }
    let path = returnPath
    let entry = LogEntry.create(channel, epoch: Identifiers.epoch())
    let reply = LogReply { created in
      path.resume { shard in
        shard.answerCreation(shard.takeIn(created.result, channel.url), to: address)
      }
    }
    writes.submit(LogSubmission(LogTicket(number: 0), entry, of: address.trace), to: reply)
  }

  /// Adds a channel that was just created to those in memory.
  private func takeIn(_ result: LogResult, _ url: String) -> Result<ChannelInfo, ServiceError> {
    switch result {
    case .success(.channel(let state)):
      channels.insert(state)
      return .success(ChannelInfo(state.channel, participantCount: 0))
    case .success: return .failure(.internalError)
    case .failure(.exists): return .failure(.exists(.channel, url))
    case .failure(let error): return .failure(ServiceError(error))
    }
  }

  /// Answers the creation of a channel.
  func answerCreation(
    _ result: Result<ChannelInfo, ServiceError>, to address: CallAddress
  ) {
    switch address {
    case .session(let call): reply(to: call, result.map { $0.encodedAsResult() })
    case .exchange(let exchange): Completion(exchange, services.shards).channel(result)
    }
  }

  /// Lists channels, and encodes each of them on the store's thread as it is read.
  ///
  /// - Parameter answer: Called once, on this shard.
  func listChannels(
    _ query: ChannelQuery, for caller: QueryCaller,
    _ encode: @escaping @Sendable (ChannelInfo, inout JSONWriter) -> Void,
    then answer: @escaping @Sendable (Shard, Result<[UInt8], ServiceError>) -> Void
  ) {
    if query.order == .participants {
      return listChannelsByParticipants(query, for: caller, encode, then: answer)
    }
    guard edge == nil else { return listClusterChannels(query, for: caller, encode, then: answer) }
    let path = returnPath
    let services = services
    let counts = services.participantCounts
    let encoder = JSONPageEncoder<Channel> { channel, writer in
      encode(ChannelInfo(channel, participantCount: counts[channel.url]), &writer)
    }
    services.store.perform(ChannelListing(query, as: encoder), for: caller.principal) {
      result, cost in
      caller.pay(cost, to: services)
      let page = result.serviceResult.map { $0.encoded(as: "channels") }
      path.resume { answer($0, page) }
    }
  }
}

extension Channel {
  /// - Throws: 400203 when the channel has too many operators.
  fileprivate func checkOperatorCount(_ field: String) throws(ServiceError) {
    guard operators.count <= Limits.operatorCount else {
      throw .tooMany(field, limit: Limits.operatorCount)
    }
  }
}
