import Cluster
import TestSupport
import Testing

@testable import Gateway

/// A channel whose new home is reading it, while stages report to that home and the cluster changes.
@Suite("A channel during a takeover", .onOwnThreads)
struct ChannelTakeOverTests {
  private let servers: DrivenServers
  private let url: String
  private let user: String
  /// The user on the second server, in the channel.
  private let client: DrivenClient
  /// The user on the third server, the next home.
  private let twin: DrivenClient

  init() throws {
    servers = try DrivenServers(count: 3)
    let members = servers.servers.map(\.network.local)
    let (ring, next) = (servers.ring, ServerRing(live: [members[1], members[2]]))
    url = try #require(
      (1...1_000).lazy.map { "moved-\($0)" }.first { name in
        ring.home(ofChannel: name).id == members[0].id
          && next.home(ofChannel: name).id == members[2].id
      })
    user = servers.user(at: 2)
    client = try servers.open(user, on: 1)
    twin = try servers.open(user, on: 2)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    _ = try client.enter(url)
  }

  /// Changes the cluster while its new home reads the channel.
  private func takeOver(_ change: () throws -> Void) throws {
    let held = try HeldStore(writing: servers.servers[0].services.store)
    defer { held.release() }
    servers.keep([1, 2])
    servers.settle()
    try change()
    servers.settle()
  }

  @Test(
    "a user who left during the takeover is not in the channel, and can enter on another server")
  func leaves() throws {
    try takeOver { _ = try client.call("channel.exit", #""channel_url":"\#(url)""#) }
    #expect(try twin.enter(url).contains(#""participant_count":1"#))
  }

  @Test("users of a server that ended during the takeover are not in the channel")
  func loses() throws {
    try takeOver { servers.keep([2]) }
    #expect(try twin.enter(url).contains(#""participant_count":1"#))
    _ = try twin.call("channel.exit", #""channel_url":"\#(url)""#)
    let page = try twin.call("channel.participants", #""channel_url":"\#(url)""#)
    #expect(!page.contains(user), "\(page)")
  }

  @Test("a server that is no longer the home releases the channel")
  func moves() throws {
    try takeOver { servers.keep([0, 1, 2]) }
    #expect(try client.say("hello", in: url).contains(#""result""#))
    for shard in servers.servers[2].shards { #expect(shard.channels.resident(url) == nil) }
  }
}
