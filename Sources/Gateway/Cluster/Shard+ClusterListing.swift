import Channels
import ParleyProtocol
import Store

extension Shard {
  /// Lists channels whose participants are counted on several servers.
  ///
  /// The count of a channel whose home does not answer in time is shown as 0.
  ///
  /// - Parameter answer: Called once, on this shard.
  func listClusterChannels(
    _ query: ChannelQuery, for caller: QueryCaller,
    _ encode: @escaping @Sendable (ChannelInfo, inout JSONWriter) -> Void,
    then answer: @escaping @Sendable (Shard, Result<[UInt8], ServiceError>) -> Void
  ) {
    let (path, services) = (returnPath, services)
    let measure = ChannelMeasure(encode: encode)
    services.store.perform(ChannelListing(query, as: measure), for: caller.principal) {
      result, cost in
      caller.pay(cost, to: services)
      switch result.serviceResult {
      case .failure(let error): path.resume { answer($0, .failure(error)) }
      case .success(let page):
        path.resume { shard in
          shard.countParticipants(of: page.items.map(\.url)) { counts in
            answer(shard, .success(page.encoded(counts, encode)))
          }
        }
      }
    }
  }

  /// Asks the homes of channels for the numbers of their participants.
  func countParticipants(
    of urls: [String], then completion: @escaping ([String: Int]) -> Void
  ) {
    var counts: [String: Int] = [:]
    var remote: [UInt16: [String]] = [:]
    for url in urls {
      if let server = edge?.routes.server(ofChannel: url) {
        remote[server, default: []].append(url)
      } else {
        counts[url] = services.participantCounts[url]
      }
    }
    guard !remote.isEmpty else { return completion(counts) }
    var missing = remote.count
    for (server, urls) in remote {
      ask(.participantCounts(urls), of: [], [server], within: 200) { answers in
        for case .participantCounts(let numbers) in answers {
          for (url, number) in zip(urls, numbers) { counts[url] = number }
        }
        missing -= 1
        if missing == 0 { completion(counts) }
      }
    }
  }
}

/// Leaves channels unencoded: their encoding includes the number of participants, which is known
/// later.
struct ChannelMeasure: PageEncoder {
  let encode: @Sendable (ChannelInfo, inout JSONWriter) -> Void

  func encode(_ channel: Channel) -> PageItem<Channel> {
    let largest = JSONWriter.bytes { encode(ChannelInfo(channel, participantCount: .max), &$0) }
    return PageItem(channel, byteCount: largest.count)
  }
}

extension ListPage<Channel> {
  func encoded(
    _ counts: [String: Int], _ encode: (ChannelInfo, inout JSONWriter) -> Void
  ) -> [UInt8] {
    JSONWriter.bytes(reserving: items.count * 256 + 64) { writer in
      writer.object {
        $0.member(
          "channels",
          array: { writer in
            for channel in items {
              encode(ChannelInfo(channel, participantCount: counts[channel.url] ?? 0), &writer)
            }
          })
        $0.member("next", next)
      }
    }
  }
}
