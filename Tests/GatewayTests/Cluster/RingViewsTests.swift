import Cluster
import TestSupport
import Testing

@testable import Gateway

/// Servers that see the cluster differently for a while.
@Suite("Servers with different views of the ring", .onOwnThreads)
struct RingViewsTests {
  @Test("a connection enters even if the home names a server that is gone")
  func goneBeside() throws {
    let servers = try DrivenServers(count: 3)
    let (url, userID) = (servers.channel(at: 0), servers.user(at: 0))
    let client = try servers.open(userID, on: 2)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    _ = try client.enter(url)
    let members = servers.servers.map(\.network.local)
    let newer = ServerRing(live: [members[0], members[1]])
    servers.isLost = { _, _, receiver in receiver == members[2].id }
    // The home learns of the end last.
    servers.show(newer, to: 1)
    let other = try servers.open(userID, on: 1)
    let number = other.begin("channel.enter", #""channel_url":"\#(url)""#)
    servers.settle()
    servers.show(newer, to: 0)
    try servers.turns {
      other.receive()
      return other.hasReply(to: number)
    }
    #expect(try other.reply(to: number).contains("epoch"))
  }

  @Test("a server releases channels that it has lost once it knows their homes")
  func forgetsLostChannels() throws {
    let servers = try DrivenServers(count: 2)
    let (first, second) = (servers.servers[0], servers.servers[1])
    let url = servers.channel(at: 0)
    let client = try servers.open(servers.user(at: 0), on: 0)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    _ = try client.enter(url)
    _ = try client.say("one", in: url)
    let newer = ServerRing(live: [second.network.local], draining: [first.network.local])
    servers.show(newer, to: 1)
    servers.settle()
    // The second one takes the channel over.
    let count = try servers.platform("GET", "/messages/total_count", inChannel: url, on: 1)
    #expect(count.text == #"{"total":1}"#)
    func knownEventCount() -> Int {
      first.shards.reduce(0) { $0 + $1.channels.knownEventCount }
    }
    let number = client.begin("message.send", #""channel_url":"\#(url)","message":"two""#)
    try servers.turns { knownEventCount() == 1 }
    servers.show(newer, to: 0)
    servers.settle()
    #expect(knownEventCount() == 0)
    #expect(try client.reply(to: number).contains(#""result""#))
  }

  @Test("a call forwarded to a home unknown to its stage waits for the stage")
  func waitsForTheStage() throws {
    let servers = try DrivenServers(count: 3)
    let members = servers.servers.map(\.network.local)
    let newer = ServerRing(live: [members[1], members[2]], draining: [members[0]])
    let url = try #require(
      (1...1000).lazy.map { "room-\($0)" }.first {
        servers.ring.home(ofChannel: $0).id == members[0].id
          && newer.home(ofChannel: $0).id == members[2].id
      })
    let client = try servers.open(servers.user(at: 1), on: 1)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    _ = try client.enter(url)
    servers.show(newer, to: 0)
    servers.show(newer, to: 2)
    servers.settle()
    let number = client.begin("message.send", #""channel_url":"\#(url)","message":"early""#)
    servers.settle()
    client.receive()
    #expect(!client.hasReply(to: number))
    servers.show(newer, to: 1)
    try servers.turns {
      client.receive()
      return client.hasReply(to: number)
    }
    let reply = try client.reply(to: number)
    #expect(reply.contains(#""message":"early""#), "\(reply)")
    let outside = try servers.open(servers.user(at: 1, "outside"), on: 1)
    #expect(try outside.say("not in", in: url).contains("900020"))
  }
}
