import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Gateway

@Suite("Profile updates", .onOwnThreads)
struct ProfileUpdatesTests {
  @Test("reach each session of the user once, and its channels once from each; no-ops reach none")
  func reachesOnce() throws {
    let servers = try DrivenServers(count: 2)
    let (url, userID) = (servers.channel(at: 0), servers.user(at: 0))
    let clients = [try servers.open(userID, on: 1), try servers.open(userID, on: 1, shard: 1)]
    _ = try clients[0].call("channel.create", #""channel_url":"\#(url)""#)
    for client in clients { _ = try client.enter(url) }
    var sent: [String] = []
    servers.isLost = { message, _, _ in
      switch message {
      case .user(_, .update): sent.append("home")
      case .session(_, .profile): sent.append("session")
      case .channel(_, .profile(let user)): sent.append("channel \(user.nickname)")
      case .channel, .stage, .user, .session, .exchange, .shard: break
      }
      return false
    }
    let update = #""nickname":"Ann""#
    #expect(try clients[0].call("user.update", update).contains(update))
    servers.settle()
    #expect(sent.sorted() == ["channel Ann", "channel Ann", "home", "session", "session"])
    #expect(clients.allSatisfy { $0.session.session.caller?.user.nickname == "Ann" })
    sent = []
    #expect(try clients[1].call("user.update", update).contains(update))
    servers.settle()
    #expect(sent == [])
  }
}
