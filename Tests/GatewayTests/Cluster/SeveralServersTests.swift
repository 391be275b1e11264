import Channels
import Configuration
import FloodControl
import ParleyProtocol
import TestSupport
import Testing
import Transport
import HTTP

@testable import Gateway

/// Three servers with a channel at home on the first, and clients on the others.
@Suite("Several servers", .onOwnThreads)
struct SeveralServersTests {
  private let servers: DrivenServers
  private let url: String

  init() throws {
    servers = try DrivenServers(count: 3)
    url = servers.channel(at: 0)
  }

  /// Clients on the servers of these numbers, in the channel.
  private func clients(on places: [Int]) throws -> [DrivenClient] {
    let clients = try places.enumerated().map { index, place in
      try servers.open(servers.user(at: (place + 1) % 3, "client\(index)"), on: place)
    }
    _ = try clients[0].call("channel.create", #""channel_url":"\#(url)""#)
    for client in clients { #expect(try client.enter(url).contains(#""result""#)) }
    return clients
  }

  @Test("all participants get all messages in the same order, on any server")
  func delivers() throws {
    let clients = try clients(on: [0, 1, 2, 1])
    let numbers = clients.map {
      ($0, $0.begin("message.send", #""channel_url":"\#(url)","message":"hello""#))
    }
    for (client, number) in numbers {
      #expect(try client.reply(to: number).contains(#""result""#))
    }
    servers.settle()
    let orders = clients.map { client -> [String] in
      client.receive()
      return client.events.compactMap { event in
        guard event.contains("message.received") else { return nil }
        return event.firstMatch(of: /"seq":([0-9]+)/).map { String($0.1) }
      }
    }
    // Each is sent the messages of the others.
    for order in orders {
      #expect(order.count == 3 && order == order.sorted { Int($0)! < Int($1)! })
    }
    let ids = Set(
      clients.flatMap(\.events).compactMap { $0.firstMatch(of: /"message_id":([0-9]+)/)?.1 })
    #expect(ids.count == 4)
  }

  @Test("participants and presence cover all servers")
  func lists() throws {
    let clients = try clients(on: [0, 1, 2])
    let page = try clients[1].call("channel.participants", #""channel_url":"\#(url)""#)
    for client in clients { #expect(page.contains(client.userID)) }
    _ = try clients[2].call("channel.exit", #""channel_url":"\#(url)""#)
    servers.settle()
    let rest = try clients[1].call("channel.participants", #""channel_url":"\#(url)""#)
    #expect(!rest.contains(clients[2].userID))
    let list = try clients[2].call("channel.list")
    #expect(list.contains(#""participant_count":2"#), "\(list)")
  }

  @Test("channels are listed by participants over all servers, from each of them")
  func fullest() throws {
    let clients = try clients(on: [0, 1, 2])
    let owner = servers.user(at: 0, "owner")
    let creator = try servers.open(owner, on: 0)
    for name in ["some", "many", "none"] {
      _ = try creator.call("channel.create", #""channel_url":"by-count-\#(name)""#)
    }
    _ = try clients[0].enter("by-count-some")
    for client in clients.prefix(2) { _ = try client.enter("by-count-many") }
    servers.settle()
    for client in clients {
      var (found, token): ([String], String) = ([], "")
      repeat {
        let page = try client.call(
          "channel.list",
          #""order":"participants","url_contains":"by-count-","limit":1,"token":"\#(token)""#)
        for name in ["many", "some", "none"] where page.contains("by-count-\(name)\"") {
          found.append(name)
        }
        let parts = page.split(separator: #""next":""#, maxSplits: 1)
        token = parts.count == 2 ? String(parts[1].prefix { $0 != "\"" }) : ""
      } while !token.isEmpty && found.count < 9
      #expect(found == ["many", "some", "none"])
    }
  }

  @Test("a ban on one server removes the user on another")
  func bans() throws {
    let clients = try clients(on: [0, 2])
    let other = clients[1].userID
    _ = try clients[0].call(
      "channel.ban", #""channel_url":"\#(url)","user_id":"\#(other)""#)
    try clients[1].wait(for: "channel.user_banned")
    #expect(try clients[1].say("x", in: url).contains("error"))
    #expect(try clients[1].enter(url).contains("400750"))
  }

  @Test("a mention reaches a user absent from the channel, on another server")
  func mentions() throws {
    let clients = try clients(on: [1])
    let absent = try servers.open(servers.user(at: 0, "absent"), on: 2)
    _ = try clients[0].call(
      "message.send",
      #""channel_url":"\#(url)","message":"hi","mentioned_user_ids":["\#(absent.userID)"]"#)
    try absent.wait(for: "hi")
  }

  @Test("a user's sessions are counted over all servers: one too many closes the oldest")
  func limitsSessions() throws {
    let servers = try DrivenServers(count: 3) { $0.limits.connectionsPerUser = 3 }
    let user = servers.user(at: 1)
    let clients = try [0, 1, 2, 0].map { try servers.open(user, on: $0) }
    try servers.turns {
      clients[0].receive()
      return clients[0].closeCode == .tooManySessions
    }
    for client in clients.dropFirst() {
      client.receive()
      #expect(client.closeCode == nil)
    }
  }

  @Test("a user's channels are counted over all servers")
  func limitsChannels() throws {
    let servers = try DrivenServers(count: 2) { $0.limits.channelsPerUser = 2 }
    let user = servers.user(at: 1)
    let clients = try [0, 1].map { try servers.open(user, on: $0) }
    for name in ["room-one", "room-two", "room-three"] {
      _ = try clients[0].call("channel.create", #""channel_url":"\#(name)""#)
    }
    #expect(try clients[0].enter("room-one").contains("result"))
    #expect(try clients[1].enter("room-two").contains("result"))
    #expect(try clients[0].enter("room-three").contains("400203"))
    #expect(try clients[0].enter("room-two").contains("result"))
  }

  @Test("a new profile reaches the sessions of the user and the channel on other servers")
  func updatesProfiles() throws {
    let clients = try clients(on: [1, 2])
    let twin = try servers.open(clients[0].userID, on: 0)
    _ = try twin.call("user.update", #""nickname":"Annie""#)
    servers.settle()
    let page = try clients[1].call("channel.participants", #""channel_url":"\#(url)""#)
    #expect(page.contains("Annie"))
    _ = try clients[0].say("hello", in: url)
    try clients[1].wait(for: "Annie")
  }

  @Test("the Platform API returns the same on each server")
  func answersPlatform() throws {
    let clients = try clients(on: [0, 1])
    _ = try clients[0].say("one", in: url)
    let answers = try (0..<3).map {
      try servers.platform("GET", "/participants", inChannel: url, on: $0)
    }
    #expect(Set(answers.map(\.text)).count == 1)
    #expect(answers[0].text.contains(clients[1].userID))
    let counts = try (0..<3).map {
      try servers.platform("GET", "/messages/total_count", inChannel: url, on: $0).text
    }
    #expect(counts == Array(repeating: #"{"total":1}"#, count: 3))
    let body = #"{"message_type":"ADMM","message":"from the back end"}"#
    let sent = try servers.platform(
      MessageEndpoints.send, PathArguments(["channel_url": url]), "", body, about: .open, on: 2)
    #expect(sent.text.contains("from the back end") && sent.text.contains(#""dedup_id":"""#))
    try clients[1].wait(for: "from the back end")
  }

  @Test("sessions are listed and closed over all servers, and online status is the same on each")
  func listsSessions() throws {
    let clients = try (0..<3).map { try servers.open("user-\($0)", on: $0) }
    for server in 0..<3 {
      let list = try servers.platform(SessionEndpoints.list, on: server).text
      for client in clients { #expect(list.contains(client.userID), "\(list)") }
      let connections = try servers.platform(OperationEndpoints.countConnections, on: server).text
      #expect(connections.contains(#""sessions":3"#))
      let user = try servers.platform(
        UserEndpoints.view, PathArguments(["user_id": "user-1"]), on: server)
      #expect(user.text.contains(#""is_online":true"#))
    }
    let list = try servers.platform(SessionEndpoints.list, PathArguments(), "user_id=user-2", on: 0)
      .text
    let id = try #require(list.firstMatch(of: /"session_id":"([^"]+)"/)?.1)
    let closed = try servers.platform(
      SessionEndpoints.close, PathArguments(["session_id": String(id)]), on: 0)
    #expect(closed.text == #"{"user_id":"user-2"}"#)
    try servers.turns {
      clients[2].receive()
      return clients[2].closeCode == .goingAway
    }
    let again = try servers.platform(
      SessionEndpoints.close, PathArguments(["session_id": String(id)]), on: 0)
    #expect(again.text == "400201")
  }

  @Test("each home removes the operator role of a deleted user")
  func deletesUsers() throws {
    let gone = try servers.open(servers.user(at: 1, "gone"), on: 0)
    let viewer = try servers.open("viewer", on: 2)
    let urls = (0..<3).map { servers.channel(at: $0, "operated") }
    for url in urls {
      _ = try gone.call("channel.create", #""channel_url":"\#(url)""#)
      _ = try gone.enter(url)
      _ = try viewer.enter(url)
    }
    let arguments = PathArguments(["user_id": gone.userID])
    #expect(try servers.platform(UserEndpoints.delete, arguments, on: 1).text == "{}")
    try servers.turns {
      gone.receive()
      return gone.closeCode == .unauthorized
    }
    servers.settle()
    viewer.receive()
    for url in urls {
      let changes = viewer.events.filter {
        $0.contains("channel.operators_changed") && $0.contains(#""\#(url)""#)
      }
      #expect(changes.count == 1)
      // The home goes on counting from there.
      #expect(try viewer.say("x", in: url).contains(#""seq":2"#))
    }
    #expect(try servers.platform(UserEndpoints.view, arguments, on: 2).text == "400201")
  }

  @Test("message IDs differ between servers and identify the server that created them")
  func makesIDs() {
    let ids = servers.servers.map { server in
      (0..<100).map { _ in server.services.messageIDs.next(at: 1_800_000_000_000) }
    }
    for (server, ids) in zip(servers.servers, ids) {
      #expect(ids.allSatisfy { $0 & 255 == Int64(server.slot) })
    }
    #expect(Set(ids.joined()).count == 300)
  }
}
