@testable import Channels
import ParleyProtocol
import Reactor
import TestSupport
import Testing

@testable import Gateway
@testable import Store
@testable import Transport

@Suite("A session of a user in many groups", .onOwnThreads)
struct GroupCoverTests {
  private static let groupCount = 3 * GroupCover.sliceLength + 5

  private let shards: DrivenShards
  private let client: DrivenSession
  private var session: Session { client.session }

  init() throws {
    shards = try DrivenShards(count: 2)
    let first = shards.shards[0]
    client = try first.connect { while first.finishTurn() == .unfinished {} }
    try shards.write { for user in ["ann", "ben"] { _ = try $0.createUser(user, at: 1) } }
    for number in 0..<Self.groupCount { create("group-\(number)") }
    let shards = shards
    try shards.turns {
      (0..<Self.groupCount).allSatisfy { Self.group("group-\($0)", on: shards) != nil }
    }
  }

  private func create(_ url: String) {
    let channel = Channel(
      url: url, createdAt: 1,
      group: Group(isDistinct: false, isPublic: false, accessCode: "", createdBy: User(id: "ben")))
    let exchange = ExchangeAddress(shard: ShardAddress(shard: 0), connection: 99, number: 1)
    let creation = GroupCreation(channel, inviting: ["ann"], memberLimit: 0)
    shards.shards[0].send(
      .channel(url: url, .createGroup(creation, replyTo: .exchange(exchange))))
  }

  private static func group(_ url: String, on shards: DrivenShards) -> ChannelHost? {
    shards.shards[shards.services.shards.stageIndex(ofChannel: url)].channels.resident(url)
  }

  private func call(_ method: String, _ params: String) {
    let text = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{\#(params)}}"#
    session.connection(session.connection, received: .text(Array(text.utf8)))
  }

  /// Opens the session, and calls `body` after each turn until it returns true.
  private func open(_ body: ([String]) throws -> Bool) throws {
    call("session.open", #""user_id":"ann""#)
    try shards.turns { try body(client.receiveTexts()) }
  }

  @Test("is added to at most a slice of the groups of each shard in a turn, after the answer")
  func slices() throws {
    var (counts, received): ([Int], [String]) = ([0], [])
    try open { texts in
      received += texts
      counts.append(session.places.count)
      return received.contains { $0.contains("group.ready") }
    }
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $1 - $0 <= 2 * GroupCover.sliceLength })
    #expect(counts.last == Self.groupCount)
    #expect(received.first?.contains("session_id") == true)
    #expect(received.count == 2)
  }

  @Test("receives what is sent meanwhile in groups that it was added to, and all after that")
  func sends() throws {
    var (received, number): ([String], Int64) = ([], 0)
    try open { texts in
      received += texts
      number += 1
      for url in ["group-0", "group-\(Self.groupCount - 1)"] {
        notify(url, number)
      }
      return received.dropLast(4).contains { $0.contains("group.ready") }
    }
    try shards.turns { true }
    received += client.receiveTexts()
    let ready = try #require(received.firstIndex { $0.contains("group.ready") })
    for url in ["group-0", "group-\(Self.groupCount - 1)"] {
      let sent = received.filter { $0.contains("\"\(url)\"") }
      let numbers = sent.compactMap { text in
        text.split(separator: "/").dropFirst().first.flatMap { Int64($0) }
      }
      let first = try #require(numbers.first)
      #expect(numbers == Array(first...number), "\(url)")
      #expect(received[ready...].contains { $0.contains("\"\(url)\"") })
    }
  }

  private func notify(_ url: String, _ number: Int64) {
    let text = #"{"channel_url":"\#(url)","n":"/\#(number)/"}"#
    Self.group(url, on: shards)?.stage?.handle(
      .notice(StageNotice(payload: Array(text.utf8), author: nil, mark: .count)))
  }

  @Test("after it was closed, is not added to the remaining groups, and leaves the others")
  func closes() throws {
    try open { _ in session.places.count >= GroupCover.sliceLength }
    session.connection.drop()
    try shards.turns { shards.shards.allSatisfy { $0.users.isEmpty } }
    for shard in shards.shards { #expect(shard.channelSubscribers.isEmpty) }
    for number in 0..<Self.groupCount {
      let stage = Self.group("group-\(number)", on: shards)?.stage
      #expect(stage?.throttle(of: "ann") == nil)
    }
  }

  @Test("is not added to a group that the user leaves meanwhile")
  func leaves() throws {
    let last = "group-\(Self.groupCount - 1)"
    var received: [String] = []
    var hasLeft = false
    try open { texts in
      received += texts
      if !hasLeft, session.places.count > 0 {
        hasLeft = true
        call("group.leave", #""channel_url":"\#(last)""#)
      }
      return received.contains { $0.contains("group.ready") } && hasLeft
    }
    try shards.turns { session.places.count == Self.groupCount - 1 }
    #expect(!session.isIn(last))
  }
}
