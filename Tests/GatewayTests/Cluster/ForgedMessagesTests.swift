@testable import Channels
import Cluster
import ParleyProtocol
import TestSupport
import Testing

@testable import Gateway

/// Messages that a server of this version never sends, from a caller that can speak to the servers.
@Suite("Forged messages between servers", .onOwnThreads)
struct ForgedMessagesTests {
  @Test("stages only admit sessions of their own server")
  func foreignSessions() throws {
    let servers = try DrivenServers(count: 2)
    let (here, there) = (servers.servers[0], servers.servers[1])
    let url = servers.channel(at: 0)
    for shard in [UInt16(0), 1, 99, .max] {
      let session = SessionAddress(server: there.slot, shard: shard, connection: 1)
      let reply = ReplyAddress(
        session: session, ticket: CallTicket(unit: 1, index: 0), id: nil, isPaid: true)
      let request = EnterRequest(
        principal: SessionPrincipal(user: User(id: "ann"), session: session), recover: nil,
        address: reply)
      let message = ShardMessage.stage(server: here.slot, url: url, .enter(request))
      here.inbox.received(RelayedMessage(message).encoded(), from: there.id)
    }
    #expect(here.inbox.figures[.unreadable] == 4)
  }

  @Test("shards of other servers cannot deliver to connections")
  func deliveries() throws {
    let servers = try DrivenServers(count: 2)
    let (here, there) = (servers.servers[0], servers.servers[1])
    let plan = FanOutPlan(
      channelURL: servers.channel(at: 0), payloads: [[]], common: FanOutPlan.Share(bits: 1),
      exceptions: [])
    let address = ShardAddress(server: here.slot, shard: 0)
    for task in [ShardTask.deliver(plan), .notify([], [])] {
      let message = RelayedMessage(.shard(address, task))
      here.inbox.received(message.encoded(), from: there.id)
    }
    #expect(here.inbox.figures[.unreadable] == 2)
  }

  // Records what two servers send each other, puts extreme numbers in place of any eight bytes, and
  // has the servers receive the result. A sum or an index that is not checked ends the process.
  @Test("extreme numbers in messages crash no server", arguments: UInt64(1)...3)
  func extremeNumbers(seed: UInt64) throws {
    let servers = try DrivenServers(count: 2)
    var sent: [(bytes: [UInt8], sender: ServerID, receiver: ServerID)] = []
    servers.isLost = { message, sender, receiver in
      sent.append((RelayedMessage(message).encoded(), sender, receiver))
      return false
    }
    let clients = try converse(servers)
    servers.isLost = { _, _, _ in false }
    #expect(sent.count > 20 && clients.count == 4)

    var random = SeededGenerator(seed: seed)
    let numbers: [Int64] = [
      .min, .min + 1, -(1 << 53), -1, 0, 1, (1 << 32) - 1, (1 << 53) - 1, .max - 1, .max,
    ]
    var decodedCount = 0
    for round in 0..<4_000 {
      let original = sent[Int.random(in: sent.indices, using: &random)]
      var bytes = original.bytes
      guard bytes.count >= 12 else { continue }
      let place = Int.random(in: 3...bytes.count - 8, using: &random)
      let number = UInt64(
        bitPattern: numbers[Int.random(in: numbers.indices, using: &random)])
      for index in 0..<8 { bytes[place + index] = UInt8(truncatingIfNeeded: number >> (index * 8)) }
      guard (try? RelayedMessage(decoding: bytes)) != nil else { continue }
      decodedCount += 1
      let receiver = servers.servers.first { $0.id == original.receiver }
      receiver?.inbox.received(bytes, from: original.sender)
      if round % 20 == 0 { servers.turn() }
    }
    servers.settle()
    #expect(decodedCount > 100)
    let url = servers.channel(at: 1, "other")
    let client = try servers.open(servers.user(at: 1, "new"), on: 0)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    #expect(try client.enter(url).contains(#""result""#))
    #expect(try client.say("one", in: url).contains(#""seq":1"#))
  }

  /// Has users of both servers do a bit of everything.
  ///
  /// - Returns: Their clients; most calls are of those on the other server than the channel's home.
  private func converse(_ servers: DrivenServers) throws -> [DrivenClient] {
    var all: [DrivenClient] = []
    for home in 0...1 {
      let url = servers.channel(at: home, "room\(home)")
      let field = #""channel_url":"\#(url)""#
      let clients = try (0...1).map { place in
        try servers.open(servers.user(at: 1 - home, "user\(home)\(place)"), on: place)
      }
      all += clients
      _ = try clients[1 - home].call("channel.create", field)
      for client in clients { _ = try client.enter(url) }
      for client in clients { _ = try client.say("hello", in: url) }
      let other = clients[home]
      let user = #""user_id":"\#(other.userID)""#
      for (method, params) in [
        ("message.list", ""), ("channel.participants", ""), ("channel.mute", user),
        ("channel.ban", #"\#(user),"seconds":60"#), ("channel.freeze", ""),
      ] {
        let separator = params.isEmpty ? "" : ","
        _ = try clients[1 - home].call(method, field + separator + params)
      }
      _ = try servers.platform(SessionEndpoints.list, on: home)
      _ = try servers.platform(BusiestChannelEndpoints.list, on: home)
      _ = try clients[1 - home].call("channel.exit", field)
    }
    servers.settle()
    return all
  }
}
