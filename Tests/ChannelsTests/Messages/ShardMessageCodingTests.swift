@testable import Channels
import ParleyProtocol
import TestSupport
import Testing

@Suite("Encoding of messages between shards")
struct ShardMessageCodingTests {
  @Test("every message is read back as it was written", arguments: UInt64(1)...20)
  func readsBack(seed: UInt64) throws {
    // One entry at most: the order of more is another in each table.
    var samples = SampleMessages(seed: seed, metadataLimit: 1)
    for message in samples.all() {
      let decoded = try ShardMessage(decoding: message.encoded())
      #expect(description(of: decoded) == description(of: message))
    }
  }

  @Test("details of the app's back end are read back, unless they are no object")
  func applicationDetails() throws {
    func readBack(_ details: String) throws -> ErrorDetails? {
      var error = ServiceError(ErrorCode(rawValue: 910_001), "no")
      error.data.application = details
      let address = ExchangeAddress(
        shard: ShardAddress(shard: 0), connection: 1, number: 1)
      let message = ShardMessage.exchange(address, .failure(error))
      guard case .exchange(_, .failure(let read)) = try ShardMessage(decoding: message.encoded())
      else { return nil }
      return read.data
    }
    let read = try readBack(#"{"rule":7}"#)
    #expect(read?.application == #"{"rule":7}"# && read?.field == nil)
    #expect(throws: MessageDecodingError.self) { try readBack(#"{"rule":"#) }
  }

  /// All that a message holds.
  private func description(of message: ShardMessage) -> String {
    var text = ""
    dump(message, to: &text)
    return text
  }

  @Test("equal messages have equal bytes, whatever the order in their tables")
  func hasOneForm() throws {
    var samples = SampleMessages(seed: 3)
    for message in samples.all() {
      let bytes = message.encoded()
      #expect(try ShardMessage(decoding: bytes).encoded() == bytes)
    }
    var (metadata, reversed): ([String: String], [String: String]) = ([:], [:])
    for number in 0..<40 {
      metadata["key-\(number)"] = "\(number)"
      reversed["key-\(39 - number)"] = "\(39 - number)"
    }
    #expect(
      ShardMessage.channel(url: "lobby", .metadata(metadata)).encoded()
        == ShardMessage.channel(url: "lobby", .metadata(reversed)).encoded())
  }

  @Test("a message between servers is read back with its forwarding count")
  func relays() throws {
    var samples = SampleMessages(seed: 5, metadataLimit: 1)
    for message in samples.all() {
      for count in 0...RelayedMessage.passLimit {
        let bytes = RelayedMessage(message, passCount: count).encoded()
        let decoded = try RelayedMessage(decoding: bytes)
        #expect(decoded.passCount == count)
        #expect(decoded.message.encoded() == message.encoded())
      }
      let tooOften = RelayedMessage(message, passCount: RelayedMessage.passLimit + 1).encoded()
      #expect(throws: MessageDecodingError.invalidValue) {
        try RelayedMessage(decoding: tooOften)
      }
      let bytes = RelayedMessage(message).encoded()
      #expect(throws: MessageDecodingError.excessive) {
        try RelayedMessage(decoding: bytes + [0])
      }
      #expect(throws: MessageDecodingError.unsupported) {
        try RelayedMessage(decoding: [MessageVersion.current + 1] + bytes.dropFirst())
      }
    }
  }

  @Test("no prefix of a message is a message, nor is a message with more bytes after it")
  func exactLength() throws {
    var samples = SampleMessages(seed: 7)
    for message in samples.all() {
      let bytes = message.encoded()
      for length in 0..<bytes.count {
        #expect(throws: MessageDecodingError.self) {
          try ShardMessage(decoding: Array(bytes[..<length]))
        }
      }
      #expect(throws: MessageDecodingError.excessive) { try ShardMessage(decoding: bytes + [0]) }
    }
  }

  @Test("modified bytes are no message, or the only form of another", arguments: UInt64(1)...4)
  func changedBytes(seed: UInt64) {
    var samples = SampleMessages(seed: seed)
    var random = SeededGenerator(seed: seed)
    for message in samples.all() {
      for _ in 0..<40 {
        var bytes = message.encoded()
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
        guard let decoded = try? ShardMessage(decoding: bytes) else { continue }
        #expect(decoded.encoded() == bytes)
      }
    }
  }

  @Test("a length beyond the message allocates nothing")
  func longLists() {
    let task: [UInt8] = [MessageVersion.current, 4, 0, 0, 0, 0, 1]
    #expect(throws: MessageDecodingError.truncated) {
      try ShardMessage(decoding: task + [255, 255, 255, 255])
    }
  }

  @Test("the fuzzing corpus begins with valid messages")
  func corpus() throws {
    for bytes in try FuzzCorpus.inputs(of: "ShardMessage") {
      #expect(try ShardMessage(decoding: bytes).encoded() == bytes)
    }
  }

  @Test("another version is refused")
  func version() {
    var bytes = ShardMessage.shard(ShardAddress(shard: 0), .renewLimits).encoded()
    for version in [0, MessageVersion.current + 1] {
      bytes[0] = version
      #expect(throws: MessageDecodingError.unsupported) { try ShardMessage(decoding: bytes) }
    }
  }

  @Test("texts are UTF-8, and no table has a duplicate or unordered key")
  func strictValues() throws {
    func user(_ metadata: [UInt8]) -> [UInt8] {
      // To the user "": its profile, with no id, name or picture.
      [MessageVersion.current, 1, 0, 0, 0, 0, 5] + [UInt8](repeating: 0, count: 12) + metadata
    }
    func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count), 0, 0, 0] + text.utf8 }
    let two: [UInt8] = [2, 0, 0, 0]
    let sorted = user(two + text("a") + text("1") + text("b") + text("2"))
    #expect(try ShardMessage(decoding: sorted).encoded() == sorted)
    for bytes in [
      user(two + text("b") + text("2") + text("a") + text("1")),
      user(two + text("a") + text("1") + text("a") + text("1")),
      // The same characters in two spellings.
      user(two + text("e\u{301}") + text("1") + text("\u{e9}") + text("2")),
      user([1, 0, 0, 0, 1, 0, 0, 0, 0xff] + text("")),
    ] {
      #expect(throws: MessageDecodingError.invalidValue) { try ShardMessage(decoding: bytes) }
    }
  }

  @Test("a plan contains events for all of its shares, and stays within its limit")
  func plans() {
    func isDecoded(_ plan: FanOutPlan) -> Bool {
      let message = ShardMessage.shard(ShardAddress(shard: 0), .deliver(plan))
      return (try? ShardMessage(decoding: message.encoded())) != nil
    }
    func plan(_ count: Int, common: UInt64, exception: UInt64 = 0) -> FanOutPlan {
      FanOutPlan(
        channelURL: "lobby", payloads: Array(repeating: [], count: count),
        common: FanOutPlan.Share(bits: common),
        exceptions: [
          FanOutPlan.Exception(connection: 1, share: FanOutPlan.Share(bits: exception))
        ])
    }
    #expect(isDecoded(plan(2, common: 3, exception: 1)))
    #expect(isDecoded(plan(64, common: .max)))
    #expect(!isDecoded(plan(2, common: 4)))
    #expect(!isDecoded(plan(2, common: 3, exception: 4)))
    #expect(!isDecoded(plan(65, common: 3)))
    let exception = FanOutPlan.Exception(connection: 1, share: FanOutPlan.Share(bits: 1))
    let twice = FanOutPlan(
      channelURL: "lobby", payloads: [[]], common: FanOutPlan.Share(bits: 1),
      exceptions: [exception, exception])
    #expect(!isDecoded(twice))
  }

  private func isDecoded(_ message: ShardMessage) -> Bool {
    (try? ShardMessage(decoding: message.encoded())) != nil
  }

  @Test("numbers that no server writes are refused, since sums and indexes use them")
  func numbers() {
    let (session, address) = (SessionAddress(shard: 0, connection: 1), ShardAddress(shard: 0))
    let poll = PollAddress(shard: address, number: 1, part: 0)
    func reply(_ unit: Int, _ index: Int) -> ReplyAddress {
      ReplyAddress(
        session: session, ticket: CallTicket(unit: unit, index: index), id: nil, isPaid: true)
    }
    func complete(_ unit: Int, _ index: Int) -> ShardMessage {
      .session(session, .complete(reply(unit, index), .empty))
    }
    let principal = SessionPrincipal(user: User(id: "ann"), session: session)
    func command(_ command: ChannelCommand) -> ShardMessage {
      .channel(url: "lobby", .command(command, by: principal, replyTo: reply(0, 0)))
    }
    func ban(_ seconds: Int64) -> [ShardMessage] {
      let ban = ChannelRestriction(userID: "bob", seconds: seconds, description: "")
      let operations: [ChannelOperation] = [
        .restrict(.ban, ban), .restrict(.mute, ban),
        .changeBan(userID: "bob", BanChange(seconds: seconds, description: nil)),
      ]
      return operations.map { command(.operation($0)) }
    }
    func pages(_ limit: Int) -> [ShardMessage] {
      [
        .shard(
          address,
          .ask(.sessions(SessionQuery(userID: nil, limit: limit, last: "")), replyTo: poll)),
        .shard(address, .askServer(.busiestChannels(limit: limit), replyTo: poll)),
        .channel(
          url: "lobby",
          .listParticipants(limit: limit, token: nil, for: principal, replyTo: reply(0, 0))),
        .channel(
          url: "lobby",
          .listMembers(
            GroupMembers(channelURL: "lobby", limit: limit), for: principal, replyTo: reply(0, 0))),
      ]
    }
    func counts(_ count: Int) -> [ShardMessage] {
      let answers: [ShardAnswer] = [
        .participantCounts([0, count]),
        .fullestChannels([CountedChannel(url: "lobby", participants: count)]),
        .connections([ConnectionCount(connections: count, sessions: 0, queued: 0)]),
        .connections([ConnectionCount(connections: 0, sessions: count, queued: 0)]),
        .busiestChannels([ChannelTraffic(url: "lobby", messages: count, participants: 0)]),
      ]
      let creation = GroupCreation(
        Channel(url: "lobby", createdAt: 0, group: Group()), inviting: [], memberLimit: count)
      let counted = [Group(memberCount: count), Group(joinedCount: count)].map {
        StageNews.record(Channel(url: "lobby", createdAt: 0, group: $0))
      }
      return answers.map { .shard(address, .answer($0, to: poll)) } + [
        .stage(server: 0, url: "lobby", .news([.elsewhere(count)] + counted, attachment: 1)),
        .channel(url: "lobby", .createGroup(creation, replyTo: .session(reply(0, 0)))),
        command(.group(.view(memberLimit: count))),
      ]
    }
    func events(_ seq: Int64) -> [ShardMessage] {
      let event = ChannelEvent(
        payload: [], subject: .announcement, seq: seq, timestamp: 0, author: nil)
      let stage: [StageMessage] = [
        .news([.event(event)], attachment: 1), .answer(reply(0, 0), .empty, after: seq),
      ]
      return stage.map { .stage(server: 0, url: "lobby", $0) }
    }
    func read(_ id: Int64) -> [ShardMessage] { [command(.viewMessage(id))] }
    func survival(_ seconds: Int64) -> [ShardMessage] {
      let channel = Channel(url: "lobby", survivalSeconds: seconds, createdAt: 0)
      return [.channel(url: "lobby", .create(channel, replyTo: .session(reply(0, 0))))]
    }

    let large: Int64 = (1 << 53) - 1
    let sound: [[ShardMessage]] = [
      [complete(0, 0), complete(5, -1), complete(5, 900)], ban(-1),
      ban(Limits.restrictionSeconds), pages(1), pages(100), counts(0), counts(70_000), events(0),
      events(large), read(large), read(-large), survival(1), survival(3_153_600_000),
    ]
    for message in sound.flatMap(\.self) { #expect(isDecoded(message), "\(message)") }
    let absurd: [[ShardMessage]] = [
      [complete(.min, 0), complete(-1, 0), complete(0, .min), complete(0, .max)], ban(-2),
      ban(.min), ban(.max), pages(0), pages(101), pages(.max), pages(.min), counts(-1),
      counts(.max), events(-1), events(.min), events(.max), events(large + 1), read(large + 1),
      read(.min), survival(0), survival(-1), survival(3_153_600_001), survival(.max),
    ]
    for message in absurd.flatMap(\.self) { #expect(!isDecoded(message), "\(message)") }
  }

  @Test("the ID of a request is a JSON text, as it was in the request")
  func requestNames() {
    func isDecoded(_ name: String) -> Bool {
      var writer = MessageWriter()
      writer.write(name)
      var reader = MessageReader(writer.bytes)
      return (try? RPCIdentifier(from: &reader)) != nil
    }
    #expect(["1", "-12", #""one""#].allSatisfy(isDecoded))
    #expect(!["", " 1", "null", "{}", "one", "1.5"].contains(where: isDecoded))
  }
}
