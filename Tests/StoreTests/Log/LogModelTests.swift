import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("The log in a database compared to the one in memory", .onOwnThreads)
struct LogModelTests {
  @Test(
    "random entries have the same results and leave the same state", arguments: UInt64(1)...12,
    [LogKind.sqlite, .postgreSQL])
  func agrees(seed: UInt64, kind: LogKind) async throws {
    var script = EntryScript(seed: seed)
    let (model, tested) = (try await LogFixture(.memory), try await LogFixture(kind))
    #expect(model.lobby == tested.lobby)
    for _ in 0..<12 {
      let entries = (0..<25).map { _ in script.next(model.lobby) }
      let (expected, actual) = (await model.perform(entries), await tested.perform(entries))
      for (index, entry) in entries.enumerated() {
        #expect(actual[index] == expected[index], "\(entry)")
      }
    }
    for read in script.reads(model.lobby) {
      #expect(await tested.read(read) == model.read(read), "\(read)")
    }
    for query in script.queries(model.lobby) {
      let (expected, actual) = (await model.list(query), await tested.list(query))
      guard case .page(let expected)? = expected, case .page(let actual)? = actual else {
        Issue.record("no page: \(query)")
        continue
      }
      #expect(actual.items == expected.items, "\(query)")
      #expect((actual.previous == nil) == (expected.previous == nil), "\(query)")
      #expect((actual.next == nil) == (expected.next == nil), "\(query)")
    }
  }
}

/// Random entries for one channel, few enough of each kind that they meet.
private struct EntryScript {
  private var generator: SplitMix
  private var lastMessageID: Int64 = 0
  private var time: Int64 = 1_000_000

  private static let users = ["ann", "bob", "cy", "nobody"]

  init(seed: UInt64) {
    generator = SplitMix(state: seed)
  }

  mutating func next(_ channel: LogChannel) -> LogEntry {
    time += Int64.random(in: 0...40_000, using: &generator)
    var place = channel
    if chance(20) { place.term += 1 }
    if chance(30) { place.id += 7 }
    return .write(operation(), place)
  }

  private mutating func operation() -> LogOperation {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0..<5: .append(message())
    case 5: .relay(message())
    case 6: .replace(edited(), mentionedUserIDs: chance(2) ? users() : nil, at: time)
    case 7: .delete(messageID: knownID(), at: time)
    case 8: .read(.message(knownID(), channelID: 1))
    case 9:
      .read(
        .missed(
          channelID: 1, after: Int64.random(in: 0...300, using: &generator), byteLimit: .max,
          updatesWithin: 60_000))
    default: .change((0..<Int.random(in: 1...3, using: &generator)).map { _ in change() }, at: time)
    }
  }

  private mutating func change() -> ChannelChange {
    let kind = chance(2) ? RestrictionKind.ban : .mute
    return switch Int.random(in: 0..<7, using: &generator) {
    case 0: .fields(ChannelChanges(name: text(), customType: chance(2) ? "t" : nil))
    case 1: .freeze(chance(2))
    case 2:
      .restrict(
        kind,
        Restriction(
          userID: user(), startsAt: time,
          endsAt: time + Int64.random(in: 1...90_000, using: &generator), description: text()))
    case 3: .lift(kind, userID: user())
    case 4: .addOperators(users())
    case 5: .removeOperators(users())
    default: .keepOperators(users())
    }
  }

  private mutating func message() -> UnsequencedMessage {
    // Sometimes one that is taken.
    let id = chance(15) ? max(lastMessageID, 1) : lastMessageID + 1
    lastMessageID = max(id, lastMessageID)
    let author = chance(8) ? nil : user()
    return UnsequencedMessage(
      Message(
        id: id, type: author == nil ? .admin : .user, channelURL: "lobby",
        user: author.map { User(id: $0) }, text: text(), customType: chance(3) ? "t" : "",
        translations: chance(4) ? ["de": text(), "pt-BR": text()] : [:],
        requestID: chance(2) ? "" : "r\(Int.random(in: 0..<12, using: &generator))",
        isOperatorMessage: chance(3), createdAt: time),
      mentionedUserIDs: chance(3) ? users() : [])
  }

  private mutating func edited() -> Message {
    Message(
      id: knownID(), channelURL: "lobby", user: nil, text: text(), data: text(),
      metaArrays: chance(2) ? [MetaArray(key: "k", values: [text()])] : [],
      openGraphTag: chance(2)
        ? OpenGraphTag(title: "T", url: nil, description: nil, image: nil) : nil,
      translations: chance(3) ? ["de": text()] : [:], createdAt: 0, updatedAt: time)
  }

  private mutating func knownID() -> Int64 {
    Int64.random(in: 1...max(lastMessageID, 1), using: &generator)
  }

  private mutating func text() -> String {
    chance(40) ? "a\u{0}b" : "text \(Int.random(in: 0..<100, using: &generator)) \u{1F600}"
  }

  private mutating func user() -> String { Self.users.randomElement(using: &generator) ?? "ann" }

  private mutating func users() -> [String] {
    (0..<Int.random(in: 0...4, using: &generator)).map { _ in
      chance(4) ? user() : ["ann", "bob", "cy"].randomElement(using: &generator) ?? "ann"
    }
  }

  private mutating func chance(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &generator) == 0
  }

  func reads(_ channel: LogChannel) -> [LogRead] {
    var reads: [LogRead] = [.channel(url: "lobby"), .users(Self.users)]
    reads += (1...max(lastMessageID, 1)).map { .message($0, channelID: channel.id) }
    for seq in Int64(0)...310 {
      let reach = seq.isMultiple(of: 3) ? Int64(500_000) : nil
      reads.append(
        .missed(channelID: channel.id, after: seq, byteLimit: .max, updatesWithin: reach))
    }
    for name in 0..<12 {
      for user in Self.users.map(Optional.some) + [nil] {
        reads.append(
          .request("r\(name)", userID: user, channelID: channel.id, since: time - 600_000))
      }
    }
    reads.append(.sends(channelID: channel.id, after: time - 900_000, limit: 20))
    return reads
  }

  func queries(_ channel: LogChannel) -> [MessageQuery] {
    [MessageQuery.Anchor.message(lastMessageID / 2), .time(time - 400_000), .time(.max)].flatMap {
      anchor in
      [
        MessageQuery(channelID: channel.id, anchor: anchor, previousLimit: 5, nextLimit: 5),
        MessageQuery(
          channelID: channel.id, anchor: anchor, previousLimit: 30, nextLimit: 30,
          center: .excluded, order: .newestFirst,
          filter: .init(customTypes: ["t"])),
        MessageQuery(
          channelID: channel.id, anchor: anchor, previousLimit: 200, nextLimit: 200,
          filter: .init(senderIDs: ["ann", "bob"]), operatorFilter: .others),
      ]
    }
  }
}

/// A generator that gives the same numbers for the same seed.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
