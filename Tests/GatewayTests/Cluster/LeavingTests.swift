import Cluster
import Channels
import TestSupport
import Testing
import HTTP

@testable import Gateway

/// A server without which the cluster goes on: it was declared dead, or is cut off.
@Suite("A server that leaves the cluster", .onOwnThreads)
struct LeavingTests {
  private let servers: DrivenServers
  private let url: String

  init() throws {
    servers = try DrivenServers(count: 3)
    url = servers.channel(at: 0)
  }

  private func client(on server: Int) throws -> DrivenClient {
    let client = try servers.open(servers.user(at: 2, "user\(server)"), on: server)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    _ = try client.enter(url)
    return client
  }

  /// Declares a server dead, as the others do first and the server itself learns then.
  private func lose(_ server: Int) {
    let kept = (0..<3).filter { $0 != server }
    servers.keep(kept)
    servers.servers[server].inbox.mustLeave(reason: "declared dead")
    servers.show(servers.ring, to: server)
    servers.settle()
  }

  /// The reply to a call; `nil` when the connection ends before.
  private func outcome(of number: Int, _ client: DrivenClient, on server: Int) throws -> String? {
    servers.settle()
    for shard in servers.servers[server].shards { shard.edge?.calls.lookAtCalls() }
    return try client.replyUnlessClosed(to: number)
  }

  @Test("writes nothing more, and takes over no channel")
  func home() throws {
    let (there, here) = (try client(on: 1), try client(on: 0))
    _ = try there.say("one", in: url)
    lose(0)
    let left = servers.servers[0]
    #expect(left.services.hasLeftCluster && left.services.unreadiness == "draining")
    let loads = left.inbox.figures[.loaded]
    // At once: a session is closed a moment after its server has left.
    let number = here.begin("message.send", #""channel_url":"\#(url)","message":"late""#)
    let late = try outcome(of: number, here, on: 0)
    #expect(late?.contains("500901") ?? (here.closeCode == .goingAway))
    #expect(try there.say("two", in: url).contains(#""seq":2"#))
    #expect(left.inbox.figures[.loaded] == loads)
    #expect(left.shards.allSatisfy { $0.channels.resident(url) == nil })
  }

  @Test("immediately answers the calls that wait for other servers")
  func edge() throws {
    let client = try client(on: 1)
    servers.isLost = { message, _, _ in
      if case .channel(_, .command) = message { true } else { false }
    }
    let send = client.begin("message.send", #""channel_url":"\#(url)","message":"x""#)
    servers.settle()
    lose(1)
    #expect(try client.reply(to: send).contains(#""outcome":"unknown""#))
    let read = client.begin("message.list", #""channel_url":"\#(url)""#)
    let answer = try outcome(of: read, client, on: 1)
    #expect(answer?.contains("500901") ?? (client.closeCode == .goingAway))
    // A read that is not answered has changed nothing.
    #expect(servers.servers[1].inbox.figures[.unknownOutcomes] == 1)
  }

  @Test("has its calls taken over when it is silent and draining, before it is gone")
  func silent() throws {
    let members = servers.servers.map(\.network.local)
    let ring = ServerRing(live: Array(members[1...]), draining: [members[0]])
    let url = try #require(
      (1...1_000).lazy.map { "moved-\($0)" }.first { name in
        servers.ring.home(ofChannel: name).id == members[0].id
          && ring.home(ofChannel: name).id == members[2].id
      })
    let client = try servers.open(servers.user(at: 1), on: 1)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    _ = try client.enter(url)
    let lost = members[0].id
    servers.isLost = { _, sender, receiver in sender == lost || receiver == lost }
    let send = client.begin("message.send", #""channel_url":"\#(url)","message":"x""#)
    servers.settle()
    for server in 1...2 { servers.servers[server].inbox.silenceDidChange([lost]) }
    servers.settle()
    client.receive()
    #expect(!client.hasReply(to: send))
    // The new home has the old ring for a moment more, and passes the call on.
    servers.show(ring, to: 1)
    servers.settle()
    servers.show(ring, to: 2)
    try servers.turns {
      for shard in servers.servers[1].shards { shard.edge?.calls.lookAtCalls() }
      client.receive()
      return client.hasReply(to: send)
    }
    #expect(try client.reply(to: send).contains(#""message":"x""#))
  }

  @Test("leaves once, even if it is asked repeatedly")
  func once() {
    for reason in ["declared dead", "again"] { servers.servers[0].inbox.mustLeave(reason: reason) }
    servers.settle()
    #expect(servers.servers[0].services.hasLeftCluster)
    #expect(!servers.servers[1].services.hasLeftCluster)
  }

  @Test("joins again, unless an operator stops it")
  func joinsAgain() {
    let services = servers.servers[0].services
    servers.servers[0].inbox.mustLeave(reason: "declared dead")
    servers.settle()
    #expect(services.startsAgain)
    services.drain()
    #expect(!services.startsAgain)
    let other = servers.servers[1].services
    other.drain()
    servers.servers[1].inbox.mustLeave(reason: "declared dead")
    servers.settle()
    #expect(other.hasLeftCluster && !other.startsAgain)
  }
}
