import Cluster
import ShardMessages
import Testing

@testable import Gateway

@Suite("Messages of servers of other versions")
struct MessageVersionsTests {
  @Test("are dropped and counted when nobody knows them, and all else goes on")
  func unknown() throws {
    let servers = try DrivenServers(count: 2)
    let (here, there) = (servers.servers[0], servers.servers[1].network.local.id)
    for (count, bytes) in [[9, 0, 0], [MessageVersion.current, 0, 99, 1, 2], []].enumerated() {
      here.inbox.received(bytes, from: there)
      #expect(here.inbox.figures[.unreadable] == count + 1)
    }
    let url = servers.channel(at: 0)
    let client = try servers.open(servers.user(at: 1), on: 1)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    _ = try client.enter(url)
    #expect(try client.say("one", in: url).contains(#""seq":1"#))
  }

  @Test("that have no words for the busiest channels are not asked for them")
  func olderServers() throws {
    let servers = try DrivenServers(count: 3, versions: [4, 3, 4])
    let edge = try #require(servers.servers[0].shards[0].edge)
    #expect(edge.otherServers.count == 2)
    #expect(
      edge.otherServers(reading: MessageVersion.busiestChannels) == [servers.servers[2].slot])
  }

  @Test("are written in the highest version that both servers know")
  func common() {
    #expect(MessageVersion.current == LinkVersions.current.highest)
    #expect(MessageVersion.oldest == LinkVersions.current.lowest)
    let versions: [UInt8] = [1, 2, 9]
    let members = versions.enumerated().map { index, version in
      ClusterMember(
        id: ServerID(rawValue: UInt64(index) + 1), slot: UInt16(index), name: "", version: version)
    }
    let ring = ServerRing(live: members)
    let message = RelayedMessage(.shard(ShardAddress(shard: 0), .renewLimits))
    #expect(members.map { ring.encode(message, for: $0.id)[0] } == [1, 2, 4])
  }
}
