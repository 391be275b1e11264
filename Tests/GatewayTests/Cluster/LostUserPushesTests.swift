import Channels
import Configuration
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Gateway
@testable import Store

/// Three servers, of which the first ends with its sessions.
@Suite("Pushes to users whose sessions and home have ended together", .onOwnThreads)
struct LostUserPushesTests {
  private let servers: DrivenServers

  init() throws {
    servers = try DrivenServers(count: 3, shards: 1) {
      ($0.push.url, $0.push.urlTypes) = ("http://localhost:1", [.huawei])
      $0.cluster.beatMilliseconds = 50
    }
  }

  /// A user with a device, at home on the first server unless on another.
  private func client(_ stem: String, at home: Int = 0, on server: Int) throws -> DrivenClient {
    let client = try servers.open(servers.user(at: home, stem), on: server)
    let device = #""type":"huawei","token":"\#(client.userID)""#
    #expect(try client.call("push.register", device).contains(#""result""#))
    return client
  }

  /// The users with jobs of their own.
  private func pushed() throws -> [String] {
    let found = Mutex<[PushJob]?>(nil)
    let reading = PushJobReading(at: .max, in: .everything, limit: 1_000, except: [])
    servers.servers[1].services.store.perform(reading, for: .server) { result, _ in
      found.withLock { $0 = (try? result.get())?.jobs ?? [] }
    }
    try servers.turns { found.withLock { $0 != nil } }
    return (found.withLock(\.self) ?? []).compactMap { job in
      if case .user(let id) = job.scope { id } else { nil }
    }
  }

  /// A group at home on the second server.
  private func group(of author: DrivenClient, with members: [DrivenClient]) throws -> String {
    let url = servers.channel(at: 1)
    let ids = members.map { #""\#($0.userID)""# }.joined(separator: ",")
    let created = try author.call(
      "group.create", #""channel_url":"\#(url)","user_ids":[\#(ids)]"#)
    #expect(created.contains(#""result""#), "\(created)")
    return url
  }

  @Test("are none when the server ends in order")
  func ended() throws {
    let (ended, lost) = (try client("ended", on: 0), try client("lost", at: 2, on: 2))
    let author = try servers.open(servers.user(at: 1, "author"), on: 1)
    let url = try group(of: author, with: [ended, lost])
    #expect(try author.say("hello", in: url).contains(#""result""#))
    let online = servers.servers[1].services.onlineUsers
    try servers.turns { [ended, lost].allSatisfy { online.hasAttentiveSession($0.userID) } }
    // Before the next notice of changes, whether it has any.
    for shard in servers.servers[0].shards { shard.receive(.stop) }
    try servers.turns { !online.hasAttentiveSession(ended.userID) }
    servers.keep([1, 2])
    servers.keep([1])
    try servers.turns { try !pushed().isEmpty }
    #expect(try pushed() == [lost.userID])
  }

  @Test("are of the messages since the last sign of the server, once each, to the attentive")
  func missed() throws {
    let lost = try (1...3).map { try client("lost\($0)", on: 0) }
    let (away, elsewhere) = (try client("away", on: 0), try client("elsewhere", on: 1))
    let author = try servers.open(servers.user(at: 1, "author"), on: 2)
    _ = try away.call("session.background", #""on":true"#)
    let url = try group(of: author, with: lost + [away, elsewhere])
    for number in 1...2 {
      #expect(try author.say("number \(number)", in: url).contains(#""result""#))
    }
    #expect(try lost[2].call("group.mark_read", #""channel_url":"\#(url)""#).contains("result"))
    for server in 1...2 {
      let online = servers.servers[server].services.onlineUsers
      try servers.turns {
        (lost + [elsewhere]).allSatisfy { online.hasAttentiveSession($0.userID) }
          && online.contains(away.userID) && !online.hasAttentiveSession(away.userID)
      }
    }
    #expect(try pushed() == [])
    servers.keep([1, 2])
    let expected = lost[0...1].flatMap { [$0.userID, $0.userID] }.sorted()
    try servers.turns { try pushed().count >= expected.count }
    #expect(try pushed().sorted() == expected)
    // Who has come back is pushed nothing.
    #expect(servers.servers[1].services.onlineUsers.hasAttentiveSession(elsewhere.userID))
  }
}
