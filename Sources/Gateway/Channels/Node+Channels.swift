import ParleyProtocol
import Store

/// What is done with channels that need not be in memory.
extension Node {
  /// Makes a channel, where it will be at home.
  ///
  /// - Parameter answer: Called once, on the channel's node.
  func create(
    _ channel: Channel,
    then answer: @escaping @Sendable (Node, Result<ChannelView, ServiceError>) -> Void
  ) {
    do throws(ServiceError) {
      try channel.checkSize()
      guard channel.operators.count <= Limits.operatorCount else {
        throw .tooMany("operator_ids", limit: Limits.operatorCount)
      }
    } catch {
      return post(toChannel: channel.url) { answer($0, .failure(error)) }
    }
    post(toChannel: channel.url) { node in
      let handle = node.handle
      node.services.store.write {
        try $0.createChannel(channel, epoch: Identifiers.epoch())
      } completion: { result in
        handle.post { node in
          answer(
            node,
            result.serviceResult.map { state in
              node.channels.insert(state)
              return ChannelView(channel: state.channel, participantCount: 0)
            })
        }
      }
    }
  }

  /// Lists channels, newest first.
  ///
  /// - Parameter answer: Called once, on this node.
  func listChannels(
    _ query: ChannelQuery,
    then answer: @escaping @Sendable (Node, Result<ChannelListing, ServiceError>) -> Void
  ) {
    let counts = services.participantCounts
    let handle = handle
    services.store.read {
      try $0.listChannels(query)
    } completion: { result in
      let listing = result.serviceResult.map { ChannelListing($0, counts) }
      handle.post { answer($0, listing) }
    }
  }
}

extension ChannelListing {
  fileprivate init(_ page: ChannelPage, _ counts: ParticipantCounts) {
    channels = page.channels.map {
      ChannelView(channel: $0, participantCount: counts[$0.url])
    }
    next = page.next
  }
}
