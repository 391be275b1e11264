import Channels
import Cluster
import ParleyProtocol
import TestSupport
import Testing

@testable import Gateway

@Suite("Messages of servers with other versions", .onOwnThreads)
struct MessageVersionsTests {
  @Test("are dropped and counted if unknown, and all others are processed")
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

  @Test("are dropped if they name shards that this server does not have")
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
    let question = ShardMessage.user(id: user, .listChannels(replyTo: poll))
    here.inbox.received(RelayedMessage(question).encoded(), from: there.id)
    servers.settle()
    #expect(here.inbox.figures[.lost] == 1)
    let client = try servers.open(user, on: 1)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    #expect(try client.enter(url).contains(#""result""#))
  }

  @Test("have the version that links negotiate")
  func versions() {
    #expect(LinkVersions.current.contains(MessageVersion.current))
    #expect(LinkVersions.current.highest == MessageVersion.current)
  }
}
