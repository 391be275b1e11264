import Channels
import Crypto
import ParleyProtocol
import Reactor
@testable import Store
import TestPeers
import TestSupport
import Testing
import Transport
import HTTP

@testable import Gateway

/// Two shards: clients on the first, their channel and one of the users at home on the second.
@Suite("Recorded and replayed messages between shards", .onOwnThreads)
struct ShardReplayTests {
  @Test("a shard that replays a recording sends the same answers and deliveries")
  func replays() throws {
    let original = try Scenario()
    for step in Scenario.steps { try original.perform(step) }
    let copy = try Scenario()
    for recording in original.recordings { try copy.replay(recording) }
    #expect(original.recordings.count == Scenario.steps.count)
    for (recording, replayed) in zip(original.recordings, copy.recordings) {
      #expect(Scenario.lines(of: replayed) == Scenario.lines(of: recording))
    }
    #expect(copy.events == original.events)
    // The recording is one of all kinds.
    let lines = original.recordings.flatMap(Scenario.lines)
    for word in ["deliver", "complete", "entered", "removed", "exchange", "user"] {
      #expect(lines.contains { $0.hasPrefix(word) }, "\(word)")
    }
    #expect(original.events[0].contains { $0.contains("two") })
    #expect(original.events[2].contains { $0.contains("channel.user_banned") })
  }

  @Test("queries to all shards return the data of each")
  func polls() throws {
    let scenario = try Scenario()
    for step in Scenario.steps.prefix(3) { try scenario.perform(step) }
    let shard = scenario.shards.shards[0]
    var answers: [ShardAnswer] = []
    shard.ask(.connections, of: shard.services.shards.handles) { answers = $0 }
    try scenario.shards.turns { !answers.isEmpty }
    #expect(
      answers == [
        .connections([ConnectionCount(connections: 3, sessions: 3, queued: 0)]),
        .connections([ConnectionCount(connections: 0, sessions: 0, queued: 0)]),
      ])
    var online: [ShardAnswer] = []
    let users = Scenario.users + ["nobody"]
    shard.ask(.online(users), of: shard.services.shards.handles) { online = $0 }
    try scenario.shards.turns { !online.isEmpty }
    let homes = (0..<2).map { home in
      Scenario.users.filter { shard.services.shards.home(ofUser: $0).index == home }
    }
    #expect(online == homes.map { .online($0) })
    #expect(homes.allSatisfy { !$0.isEmpty })
  }
}

/// Calls of clients and back ends on two shards, with a recording of the messages of each.
private final class Scenario {
  enum Step {
    /// A call of one of three clients.
    case call(Int, String, String)
    /// A call of the Platform API about the channel.
    case platform(String, String, String = "")
  }

  /// The messages of one step, in the order in which they arrived.
  typealias Recording = [DrivenShards.Record]

  static let channel = name("room", at: 1)
  static let users = [name("ann", at: 0), name("bob", at: 1), name("eve", at: 0)]

  static let steps: [Step] =
    users.indices.map { .call($0, "session.open", #"{"user_id":"\#(users[$0])","groups":false}"#) }
    + [
      .call(0, "channel.create", #"{"channel_url":"\#(channel)","name":"Room"}"#),
      enter(0), enter(1), enter(2), say(0, "one"), say(1, "two"),
      .call(1, "message.send", #"{"channel_url":"\#(channel)","message":"x","req_id":"r"}"#),
      .call(1, "message.send", #"{"channel_url":"\#(channel)","message":"x","req_id":"r"}"#),
      .call(0, "channel.mute", #"{"channel_url":"\#(channel)","user_id":"\#(users[1])"}"#),
      say(1, "three"),
      .call(0, "channel.participants", #"{"channel_url":"\#(channel)"}"#),
      .call(0, "message.list", #"{"channel_url":"\#(channel)"}"#),
      .platform("GET", "/participants"), .platform("GET", "/nowhere"),
      .platform("PUT", "/freeze", #"{"freeze":true}"#), say(2, "four"),
      .platform("PUT", "/freeze", #"{"freeze":false}"#),
      .call(2, "channel.get", #"{"channel_url":"no-such-channel"}"#),
      .call(0, "channel.ban", #"{"channel_url":"\#(channel)","user_id":"\#(users[2])"}"#),
      say(2, "five"), enter(2), .platform("GET", "/messages/total_count"),
      .call(1, "channel.exit", #"{"channel_url":"\#(channel)"}"#), say(0, "six"),
    ]

  let shards: DrivenShards
  private(set) var recordings: [Recording] = []
  /// The events that each client was sent.
  private(set) var events: [[String]] = [[], [], []]
  private var replies: [String] = []
  private let clients: [DrivenSession]
  private var number: UInt64 = 0

  init() throws {
    let shards = try DrivenShards(count: 2)
    self.shards = shards
    clients = try (0..<3).map { _ in
      try shards.shards[0].connect { while shards.shards[0].finishTurn() == .unfinished {} }
    }
    try shards.write { for user in Self.users { _ = try $0.createUser(user, at: 1) } }
  }

  /// Runs a step, and records it.
  func perform(_ step: Step) throws {
    number += 1
    let start = shards.records.count
    switch step {
    case .call(let client, let method, let params):
      let call = #"{"jsonrpc":"2.0","id":\#(number),"method":"\#(method)","params":\#(params)}"#
      let session = clients[client].session
      session.connection(session.connection, received: .text(Array(call.utf8)))
      try finish(from: start) { _ in
        self.replies.contains {
          $0.contains(#""id":\#(self.number),"#) || $0.contains(#""id":\#(self.number)}"#)
        }
      }
    case .platform(let method, let path, let body):
      let exchange = ExchangeAddress(
        shard: ShardAddress(shard: 0), connection: 99, number: number)
      let request = PlatformRequest(
        method: method, target: "/v3/open_channels/\(Self.channel)\(path)",
        body: Array(body.utf8), caller: TokenDigest(of: "token").bytes, exchange: exchange)
      shards.shards[0].send(.channel(url: Self.channel, .platform(request)))
      try finish(from: start) { Self.lines(of: $0).contains { $0.hasPrefix("exchange") } }
    }
  }

  /// Sends the second shard what it was sent in a recording, and records what follows.
  func replay(_ recording: Recording) throws {
    let start = shards.records.count
    for record in recording where record.receiver == 1 {
      shards.shards[1].handle.post(.message(try ShardMessage(decoding: record.bytes)))
    }
    let expected = Self.lines(of: recording).count
    try finish(from: start) { Self.lines(of: $0).count >= expected }
  }

  private func finish(from start: Int, _ isDone: (Recording) -> Bool) throws {
    try shards.turns {
      receive()
      return isDone(Array(shards.records[start...]))
    }
    receive()
    recordings.append(Array(shards.records[start...]))
  }

  /// Reads what the clients were sent; the one that exits stays subscribed in a replay.
  private func receive() {
    for (index, client) in clients.enumerated() {
      for text in client.receiveTexts() {
        if text.contains(#""id":"#) {
          replies.append(text)
        } else if index != 1 {
          events[index].append(Self.normalized(text))
        }
      }
    }
  }

  /// What the first shard was sent, one line for each thing, without what differs each time.
  static func lines(of recording: Recording) -> [String] {
    recording.filter { $0.receiver == 0 }.flatMap { record in
      guard let message = try? ShardMessage(decoding: record.bytes) else { return ["broken"] }
      return lines(of: message)
    }
  }

  private static func lines(of message: ShardMessage) -> [String] {
    if case .shard(_, .deliver(let plan)) = message {
      return plan.payloads.indices.map { index in
        let others = plan.exceptions.filter {
          $0.share.contains(index) != plan.common.contains(index)
        }
        return "deliver \(plan.common.contains(index)) \(others.map(\.connection)) "
          + normalized(plan.payloads[index])
      }
    }
    // Comes when a query took long.
    if case .session(_, .charge) = message { return [] }
    if case .session(let session, .complete(let call, let outcome)) = message {
      return ["complete \(session.connection) \(call.ticket) \(normalized(outcome))"]
    }
    if case .session(let session, .entered(let url, let user, _, let result)) = message {
      return ["entered \(session.connection) \(url) \(user) \(normalized(result))"]
    }
    if case .session(let session, .removed(let url)) = message {
      return ["removed \(session.connection) \(url)"]
    }
    if case .exchange(let address, let outcome) = message {
      return ["exchange \(address.number) \(normalized(outcome))"]
    }
    if case .user(let id, let message) = message { return ["user \(id) \(message)"] }
    return [normalized("\(message)")]
  }

  private static func normalized(_ outcome: CallOutcome) -> String {
    switch outcome {
    case .success(let result): normalized(result)
    case .failure(let error): normalized("\(error)")
    }
  }

  private static func normalized(_ bytes: [UInt8]) -> String {
    normalized(String(decoding: bytes, as: UTF8.self))
  }

  /// Leaves out ids and times, and the name of the channel's life.
  private static func normalized(_ text: String) -> String {
    text.replacing(/[0-9]{9,}/, with: "#").replacing(/"epoch":"[^"]*"/, with: "epoch")
  }

  private static func enter(_ client: Int) -> Step {
    .call(client, "channel.enter", #"{"channel_url":"\#(channel)"}"#)
  }

  private static func say(_ client: Int, _ text: String) -> Step {
    .call(client, "message.send", #"{"channel_url":"\#(channel)","message":"\#(text)"}"#)
  }

  /// A name that is at home on one of two shards.
  private static func name(_ stem: String, at home: Int) -> String {
    let handles = (0..<2).compactMap { try? ShardHandle(index: $0) }
    let shards = ShardSet(handles)
    return (1...100).map { "\(stem)-\($0)" }.first { shards.home(ofChannel: $0).index == home }
      ?? stem
  }
}
