import Channels
import ParleyProtocol
import Store

extension Shard {
  /// Lists channels by the numbers of their participants at this moment.
  ///
  /// A page with channels that have participants is made of those with the most, on all servers, after the
  /// position of the query. Only these are looked up in the store. The channels of a server that does not
  /// answer in time are listed as those without participants.
  ///
  /// - Parameter answer: Called once, on this shard.
  func listChannelsByParticipants(
    _ query: ChannelQuery, for caller: QueryCaller,
    _ encode: @escaping @Sendable (ChannelInfo, inout JSONWriter) -> Void,
    then answer: @escaping @Sendable (Shard, Result<[UInt8], ServiceError>) -> Void
  ) {
    let (path, services) = (returnPath, services)
    let position: ParticipantPosition?
    do throws(StoreError) {
      position = try query.participantPosition()
    } catch {
      return answer(self, .failure(ServiceError(error)))
    }
    findFullestChannels(query, after: position) { counted in
      let measure = ChannelMeasure(encode: encode)
      let listing = CountedChannelListing(query, counted: counted, as: measure)
      services.store.perform(listing, for: caller.principal) { result, cost in
        caller.pay(cost, to: services)
        let page = result.serviceResult
        path.resume { $0.finish(page, counted, encode, then: answer) }
      }
    }
  }

  /// The channels with the most participants after a position, on all servers.
  private func findFullestChannels(
    _ query: ChannelQuery, after position: ParticipantPosition?,
    then completion: @escaping (FullestChannels.Selection) -> Void
  ) {
    let last: CountedChannel?
    switch position {
    case .rest: return completion(FullestChannels.Selection(channels: [], isComplete: true))
    case .counted(let channel): last = channel
    case nil: last = nil
    }
    let limit = query.candidateCount
    var fullest = FullestChannels(limit: limit, after: last)
    services.participantCounts.offer(to: &fullest)
    let others = edge?.routes.otherServers ?? []
    guard !others.isEmpty else { return completion(fullest.selection()) }
    ask(.fullestChannels(limit: limit, after: last), of: [], others, within: 200) { answers in
      for case .fullestChannels(let channels) in answers {
        for channel in channels { fullest.offer(channel) }
      }
      completion(fullest.selection())
    }
  }

  /// Encodes a page; of the channels after the counted ones, those that have participants after all are left out.
  private func finish(
    _ page: Result<ListPage<Channel>, ServiceError>, _ counted: FullestChannels.Selection,
    _ encode: @escaping @Sendable (ChannelInfo, inout JSONWriter) -> Void,
    then answer: @escaping @Sendable (Shard, Result<[UInt8], ServiceError>) -> Void
  ) {
    guard case .success(var page) = page else { return answer(self, page.map { _ in [] }) }
    let known = Dictionary(uniqueKeysWithValues: counted.channels.map { ($0.url, $0.participants) })
    let rest = page.items.map(\.url).filter { known[$0] == nil }
    countParticipants(of: rest) { [unowned self] counts in
      page.items.removeAll { known[$0.url] == nil && counts[$0.url, default: 0] > 0 }
      answer(self, .success(page.encoded(known, encode)))
    }
  }

  /// The channels with the most participants that are at home on this server.
  func fullestChannels(_ limit: Int, after position: CountedChannel?) -> [CountedChannel] {
    var fullest = FullestChannels(limit: limit, after: position)
    services.participantCounts.offer(to: &fullest)
    return fullest.selection().channels
  }
}

extension ChannelQuery {
  /// The number of channels to look up for a page: more than the page has, since filters leave some out, and
  /// groups and channels that were just deleted may have participants too.
  fileprivate var candidateCount: Int {
    hasFilters ? Int(FullestChannels.limits.upperBound) : limit + 100
  }
}
