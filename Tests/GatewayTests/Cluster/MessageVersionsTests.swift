import Channels
import Cluster
import ParleyProtocol
import ShardMessages
import TestSupport
import Testing

@testable import Gateway

@Suite("Messages of servers of other versions", .onOwnThreads)
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

  @Test("that name shards of this server which are not there are dropped")
  func unknownShards() throws {
    let servers = try DrivenServers(count: 2)
    let (here, there) = (servers.servers[0], servers.servers[1])
    let (url, user) = (servers.channel(at: 0), servers.user(at: 0))
    let missing = ShardAddress(server: here.slot, shard: 99)
    let exchange = ExchangeAddress(shard: missing, connection: 1, number: 1)
    let session = SessionAddress(server: here.slot, shard: 99, connection: 1)
    let reply = ReplyAddress(
      session: session, ticket: CallTicket(unit: 1, index: 0), id: nil, isPaid: true)
    let principal = SessionPrincipal(user: User(id: user), session: session)
    let request = EnterRequest(principal: principal, recover: nil, address: reply)
    let unreadable: [ShardMessage] = [
      .channel(url: url, .explainLimits(userID: user, replyTo: exchange)),
      .user(id: user, .expect(session)),
      .stage(server: here.slot, url: url, .enter(request)),
      .shard(missing, .renewLimits),
    ]
    for message in unreadable {
      here.inbox.received(RelayedMessage(message).encoded(), from: there.id)
    }
    #expect(here.inbox.figures[.unreadable] == unreadable.count)
    // The answer goes nowhere.
    let poll = PollAddress(shard: missing, number: 1, part: 0)
    let question = ShardMessage.user(id: user, .isIn(channelURLs: [url], replyTo: poll))
    here.inbox.received(RelayedMessage(question).encoded(), from: there.id)
    servers.settle()
    #expect(here.inbox.figures[.lost] == 1)
    let client = try servers.open(user, on: 1)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    #expect(try client.enter(url).contains(#""result""#))
  }

  @Test("that have no words for the busiest channels are not asked for them")
  func olderServers() throws {
    let servers = try DrivenServers(count: 3, versions: [4, 3, 4])
    let edge = try #require(servers.servers[0].shards[0].edge)
    #expect(edge.routes.otherServers.count == 2)
    #expect(
      edge.routes.otherServers(reading: MessageVersion.busiestChannels) == [servers.servers[2].slot]
    )
  }

  @Test("are neither read nor asked for by a server that speaks as the version before")
  func previousVersion() throws {
    let previous = LinkVersions(named: "previous")
    #expect(LinkVersions(named: nil) == .current && LinkVersions(named: "") == .current)
    #expect(previous.lowest == LinkVersions.current.lowest)
    #expect(previous.highest == LinkVersions.current.highest - 1)
    let servers = try DrivenServers(count: 2, versions: [previous.highest])
    let (older, newer) = (servers.servers[0], servers.servers[1])
    let message = RelayedMessage(
      .shard(ShardAddress(server: older.slot, shard: 0), .renewLimits))
    older.inbox.received(message.encoded(), from: newer.id)
    #expect(older.inbox.figures[.unreadable] == 1)
    older.inbox.received(message.encoded(version: previous.highest), from: newer.id)
    #expect(older.inbox.figures[.unreadable] == 1)
    let url = servers.channel(at: 1)
    for (number, server) in servers.servers.enumerated() {
      let (routes, other) = (server.shards[0].edge?.routes, servers.channel(at: 1 - number))
      #expect(routes?.home(ofChannel: other, reads: previous.highest) == true)
      #expect(routes?.home(ofChannel: other, reads: LinkVersions.current.highest) == false)
    }
    let client = try servers.open(servers.user(at: 1), on: 0)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    _ = try client.enter(url)
    #expect(try client.say("one", in: url).contains(#""seq":1"#))
    #expect(servers.servers.allSatisfy { $0.inbox.figures[.unreadable] <= 1 })
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
    func written(by sender: ClusterMember) -> [UInt8] {
      members.map { ring.encode(message, from: sender, for: $0.id)[0] }
    }
    #expect(written(by: members[2]) == [1, 2, MessageVersion.current])
    #expect(written(by: members[1]) == [1, 2, 2])
  }
}
