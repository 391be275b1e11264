import Channels
import Testing

@testable import Gateway

@Suite("Traffic of channels on several shards")
struct ChannelTrafficTests {
  @Test("the busiest channels of all shards come first, and a moved channel is counted as one")
  func merges() {
    let all = [
      ChannelTraffic(url: "quiet", messages: 1, participants: 9),
      ChannelTraffic(url: "moved", messages: 4, participants: 0),
      ChannelTraffic(url: "b", messages: 6, participants: 1),
      ChannelTraffic(url: "moved", messages: 3, participants: 7),
      ChannelTraffic(url: "a", messages: 6, participants: 1),
    ]
    #expect(
      ChannelTraffic.busiest(of: all, limit: 3) == [
        ChannelTraffic(url: "moved", messages: 7, participants: 7),
        ChannelTraffic(url: "a", messages: 6, participants: 1),
        ChannelTraffic(url: "b", messages: 6, participants: 1),
      ])
    #expect(ChannelTraffic.busiest(of: [], limit: 3) == [])
  }
}
