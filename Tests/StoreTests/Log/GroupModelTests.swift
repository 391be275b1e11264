import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Groups in a database compared to those in memory", .serialized, .onOwnThreads)
struct GroupModelTests {
  @Test(
    "random changes of groups have the same results and leave the same state",
    arguments: UInt64(1)...12, [LogKind.sqlite, .postgreSQL])
  func agrees(seed: UInt64, kind: LogKind) async throws {
    var script = GroupScript(seed: seed)
    let model = NumberedGroups(try await LogFixture(.memory))
    let tested = NumberedGroups(try await LogFixture(kind))
    for fixture in [model.fixture, tested.fixture] {
      try await fixture.add(Block(by: "cy", of: "ann"))
    }
    for _ in 0..<25 {
      let entries = (0..<8).map { _ in script.next() }
      let (expected, actual) = (await model.perform(entries), await tested.perform(entries))
      for (index, entry) in entries.enumerated() {
        #expect(actual[index] == expected[index], "seed \(seed): \(entry)")
      }
      script.groupCount = model.places.count
    }
    for index in 0..<script.groupCount {
      for read in script.reads() {
        let (expected, actual) = (
          await model.read(read, ofGroup: index), await tested.read(read, ofGroup: index)
        )
        #expect(actual == expected, "seed \(seed): \(read)")
      }
    }
  }
}

/// The groups of a log by the order of their creation: a refused creation may use up a number of the log.
private final class NumberedGroups {
  let fixture: LogFixture
  private(set) var places: [LogChannel] = []

  init(_ fixture: LogFixture) { self.fixture = fixture }

  /// Performs entries whose channels are given by their places in the order, and returns the results
  /// without the log's own numbers.
  func perform(_ entries: [LogEntry]) async -> [LogResult] {
    let results = await fixture.perform(
      entries.map { entry in
        guard case .write(let operation, let place) = entry else { return entry }
        let known = places[Int(place.id)]
        if case .replace(var message, let ids, let time) = operation {
          message.channelURL = known.url
          return .write(.replace(message, mentionedUserIDs: ids, at: time), known)
        }
        guard case .append(var new) = operation else { return .write(operation, known) }
        new.message.channelURL = known.url
        return .write(.append(new), known)
      })
    places += results.compactMap { $0.state?.place }
    return results.map { result in
      switch result {
      case .success(.channel(var state)):
        state.id = 0
        return .success(.channel(state))
      case .success(.found(var state)):
        state.id = 0
        return .success(.found(state))
      case .success, .failure: return result
      }
    }
  }

  func read(_ read: (LogChannel) -> LogRead, ofGroup index: Int) async -> LogReading? {
    let reading = await fixture.read(read(places[index]))
    guard case .channel(var state?) = reading else { return reading }
    state.id = 0
    return .channel(state)
  }
}

/// Random entries about a few groups of few users, so that distinct groups are met again.
private struct GroupScript {
  private var generator: SeededGenerator
  private var time: Int64 = 1_000_000
  private var lastMessageID: Int64 = 0
  /// The number of groups that were created.
  var groupCount = 0

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  mutating func next() -> LogEntry {
    time += Int64.random(in: 0...3, using: &generator)
    guard groupCount > 0, !chance(4) else { return creation() }
    let index = Int64.random(in: 0..<Int64(groupCount), using: &generator)
    let place = LogChannel(id: index, url: "", term: 0)
    switch Int.random(in: 0..<21, using: &generator) {
    case 20:
      let deliveries = users().map { Delivery(to: $0, at: time) }
      return .write(.deliver(deliveries), place)
    case 17..<20:
      var edited = message(in: place).message
      edited.id = knownID()
      return .write(.replace(edited, mentionedUserIDs: users(), at: time), place)
    case 12..<17:
      return .write(
        .changeOwn(ownChange(), userID: user(), visibleFrom: time), place)
    case 0..<7:
      let changes = (0..<Int.random(in: 1...3, using: &generator)).map { _ in change() }
      return .write(.change(changes, at: time), place)
    case 7..<10: return .write(.append(message(in: place)), place)
    case 10: return .write(.delete(messageID: knownID(), at: time), place)
    default: return chance(3) ? .write(.remove(at: time), place) : .takeOver(url: "nowhere")
    }
  }

  private mutating func creation() -> LogEntry {
    let creator = chance(5) ? nil : user()
    let ids = users()
    var group = LogFixture.group(
      "g\(Int.random(in: 0..<40, using: &generator))", by: creator, isDistinct: !chance(3),
      operators: chance(3) ? users() : [])
    group.isEphemeral = chance(6)
    group.createdAt = time
    return .create(group, epoch: "e", inviting: ids)
  }

  private mutating func change() -> ChannelChange {
    switch Int.random(in: 0..<9, using: &generator) {
    case 0..<2: .invite(users(), by: chance(3) ? nil : LogFixture.user("bob"))
    case 2..<4:
      .join(userID: user(), visibleFrom: time + Int64.random(in: -5...5, using: &generator))
    case 4..<6:
      .depart(users(), DepartureReason.allCases.randomElement(using: &generator) ?? .left)
    case 6: .addOperators(users())
    case 7: .removeOperators(users())
    default: .fields(ChannelChanges(isPublic: chance(2), accessCode: chance(2) ? "a" : nil))
    }
  }

  private mutating func ownChange() -> OwnChange {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<4: .markRead(upTo: chance(3) ? nil : knownID())
    case 4..<7: .markUnread(from: knownID())
    case 7: .hide(clearing: chance(3), isArchived: chance(2))
    case 8: chance(2) ? .unhide : .resetHistory
    default: .prefer(CountPreference.allCases.randomElement(using: &generator) ?? .all)
    }
  }

  private mutating func message(in place: LogChannel) -> UnsequencedMessage {
    lastMessageID += 1
    let author = chance(6) ? nil : user()
    var message = Message(
      id: lastMessageID, type: author == nil ? .admin : .user, channelURL: place.url,
      user: author.map(LogFixture.user),
      text: chance(9) ? "a\u{0}b" : "text",
      requestID: chance(2) ? "" : "r\(Int.random(in: 0..<9, using: &generator))", createdAt: time)
    message.mentionType = mentionType()
    return UnsequencedMessage(
      message, mentionedUserIDs: chance(2) ? [] : users(),
      role: chance(5) ? .imported : .counted, isCounted: !chance(8))
  }

  private mutating func mentionType() -> MentionType { chance(4) ? .channel : .users }

  /// Reads of a group.
  func reads() -> [(LogChannel) -> LogRead] {
    var reads: [(LogChannel) -> LogRead] = [{ .channel(url: $0.url) }]
    for limit in [0, 2, 100] {
      reads.append { [time] place in
        .group(
          channelID: place.id, since: time - Int64(limit), readerID: "bob", memberLimit: limit)
      }
    }
    for reader in ["ann", "cy", "dan"] {
      reads.append { place in
        .group(channelID: place.id, since: .max, readerID: reader, memberLimit: 0)
      }
      reads.append { .blockers(ofUser: reader, channelID: $0.id) }
    }
    for seq in stride(from: Int64(0), to: 40, by: 3) {
      reads.append { place in
        .missed(channelID: place.id, after: seq, byteLimit: .max, updatesWithin: nil)
      }
    }
    return reads
  }

  private mutating func knownID() -> Int64 {
    Int64.random(in: 1...max(lastMessageID, 1), using: &generator)
  }

  private mutating func user() -> String {
    if chance(25) { return chance(2) ? "nobody" : "eve" }
    return ["ann", "bob", "cy", "dan"].randomElement(using: &generator) ?? "ann"
  }

  private mutating func users() -> [String] {
    (0..<Int.random(in: 0...4, using: &generator)).map { _ in user() }
  }

  private mutating func chance(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &generator) == 0
  }
}
