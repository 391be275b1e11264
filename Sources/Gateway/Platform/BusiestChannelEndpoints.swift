import Channels
import ParleyProtocol
import Reactor

/// The channels with the most messages, below `/v3/parley/channels`.
enum BusiestChannelEndpoints {
  /// `GET …/busiest?limit=`: the busiest channels of all servers that answer, each with the messages
  /// that its home has counted in the last minute.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let limit = try call.query.pageSize()
    let shard = call.shard
    let others = shard.edge?.routes.otherServers ?? []
    let shards = shard.services.shards.handles
    shard.ask(.busiestChannels(limit: limit), of: shards, others) { answers in
      var all: [ChannelTraffic] = []
      for case .busiestChannels(let some) in answers { all += some }
      let busiest = ChannelTraffic.busiest(of: all, limit: limit)
      // The shards of this server always answer.
      let unansweredCount = others.count + shards.count - answers.count
      completion { writer in
        writer.object {
          $0.member(
            "channels", array: { for channel in busiest { channel.encode(into: &$0) } })
          $0.member("window_ms", BusiestChannels.span)
          $0.member("unanswered_servers", Int64(unansweredCount))
        }
      }
    }
  }
}

extension Shard {
  /// The busiest channels with their homes on this shard.
  func busiestChannels(_ limit: Int) -> [ChannelTraffic] {
    busiest.top(limit, at: loop.now).map { url, messages in
      ChannelTraffic(
        url: url, messages: messages, participants: services.participantCounts[url])
    }
  }
}

extension ChannelTraffic {
  /// The busiest channels of several shards.
  ///
  /// A channel that has moved to another home within the last minute was counted at both.
  static func busiest(of all: [ChannelTraffic], limit: Int) -> [ChannelTraffic] {
    var channels: [String: ChannelTraffic] = [:]
    for channel in all {
      let other = channels[channel.url]
      channels[channel.url] = ChannelTraffic(
        url: channel.url, messages: channel.messages + (other?.messages ?? 0),
        participants: max(channel.participants, other?.participants ?? 0))
    }
    let sorted = channels.values.sorted { ($1.messages, $0.url) < ($0.messages, $1.url) }
    return Array(sorted.prefix(limit))
  }

  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("channel_url", url)
      $0.member("messages", Int64(messages))
      $0.member("participants", Int64(participants))
    }
  }
}
