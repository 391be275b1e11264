import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: operating a channel")
struct OperatingTests {
  private var rig: JudgeRig

  init() throws { rig = try JudgeRig() }

  @Test("only operators and the Platform API operate a channel")
  mutating func rights() throws {
    let commands: [ChannelCommand] = [
      .update(ChannelFields(name: "n")), .freeze, .unfreeze, .mute("cat"), .unmute(userID: "cat"),
      .ban("cat"), .unban(userID: "cat"), .addOperators(["cat"]), .removeOperators(["cat"]),
    ]
    for command in commands {
      #expect(try rig.perform(command, by: "ann").code == .notAllowed)
      #expect(try rig.perform(command, by: .platform).code == nil)
    }
    #expect(try rig.perform(.delete, by: "ann").code == .notAllowed)
    #expect(try rig.perform(.freeze, by: "boss").code == nil)
  }

  @Test("changed fields are published to every connection and returned")
  mutating func fields() throws {
    let outcome = try rig.perform(.update(ChannelFields(name: "Tea", data: "d")), by: "boss")
    #expect(outcome.channel?.name == "Tea" && rig.channel.data == "d")
    let event = try #require(rig.events.first)
    #expect(event.method == "channel.changed" && event.author == nil && event.seq == 1)
    #expect(event.params?["channel"]?["name"]?.string == "Tea")
    #expect(event.params?["channel"]?["participant_count"]?.integer == 4)
  }

  @Test("an operation without effect is answered, not published, and does not count")
  mutating func void() throws {
    for _ in 0..<9 {
      #expect(try rig.perform(.update(ChannelFields(name: "")), by: "boss").channel != nil)
      #expect(try rig.perform(.unfreeze, by: "boss").channel?.isFrozen == false)
      #expect(try rig.perform(.removeOperators(["ann"]), by: "boss").channel != nil)
      #expect(try rig.perform(.addOperators(["boss"]), by: "boss").channel != nil)
    }
    #expect(rig.events.isEmpty && rig.requests.isEmpty)
  }

  @Test("operations of operators count in the window of changes")
  mutating func flood() throws {
    for number in 0..<5 {
      #expect(try rig.perform(.update(ChannelFields(name: "\(number)")), by: "boss").code == nil)
    }
    #expect(try rig.perform(.freeze, by: "boss").code == .flood)
    #expect(try rig.perform(.freeze, by: .platform).code == nil)
    #expect(try rig.perform(.delete, by: "boss").code == nil)
  }

  @Test("freezing and unfreezing are each published once")
  mutating func freezing() throws {
    for command in [ChannelCommand.freeze, .freeze, .unfreeze, .unfreeze] {
      _ = try rig.perform(command, by: "boss")
    }
    #expect(rig.events.map(\.method) == ["channel.frozen", "channel.unfrozen"])
    #expect(rig.events[0].params?["channel"]?["freeze"]?.bool == true)
  }

  @Test("operators are added and removed; the full list is published each time")
  mutating func operators() throws {
    #expect(
      try rig.perform(.addOperators(["ann", "boss"]), by: "boss").channel?.operators.count == 2)
    #expect(rig.operatorIDs == ["ann", "boss"])
    #expect(try rig.perform(.removeOperators(["boss", "cat"]), by: "ann").code == nil)
    #expect(try rig.perform(.freeze, by: "boss").code == .notAllowed)
    #expect(try rig.perform(.removeAllOperators, by: .platform).channel?.operators.isEmpty == true)
    #expect(rig.events.map(\.method) == Array(repeating: "channel.operators_changed", count: 3))
    #expect(
      rig.events.map { event in
        event.params?["operators"].map { Array($0.elements).count }
      } == [2, 1, 0])
    guard case .operators(let users) = rig.events[0].subject else { return #expect(Bool(false)) }
    #expect(users.map(\.id) == ["boss", "ann"])
  }

  @Test("adding an operator who is not a user changes nothing")
  mutating func unknownOperator() throws {
    let fields = ChannelFields(name: "n", operatorIDs: ["ann", "nobody"])
    #expect(try rig.perform(.update(fields), by: "boss").code == .notFound)
    #expect(rig.channel.name == "" && rig.operatorIDs == ["boss"])
    #expect(rig.events.isEmpty)
    #expect(rig.sendCheck(of: "boss", at: rig.now).changes.used == 0)
  }

  @Test("operators given in an update replace the previous ones in one change")
  mutating func replacesOperators() throws {
    let fields = ChannelFields(name: "n", operatorIDs: ["ann", "ben"])
    let outcome = try rig.perform(.update(fields), by: "boss")
    #expect(outcome.channel?.operators.map(\.id) == ["ann", "ben"])
    #expect(rig.events.map(\.seq) == [1, 2, 3])
    #expect(rig.events.first?.method == "channel.changed")
  }

  @Test("a channel has at most 100 operators")
  mutating func tooManyOperators() throws {
    let ids = (0..<100).map { "u\($0)" }
    for id in ids { rig.contents.set(User(id: id)) }
    let outcome = try rig.perform(.addOperators(ids), by: "boss")
    #expect(outcome.code == .tooManyItems && outcome.error?.data.field == "user_ids")
    #expect(try rig.perform(.addOperators(Array(ids.dropLast())), by: "boss").code == nil)
    #expect(
      try rig.perform(.addOperators([ids[99]]), by: .platform).error?.data.field == "operator_ids")
  }

  @Test("a record that would not fit into an event is refused")
  mutating func size() throws {
    let data = String(repeating: "\u{1}", count: 16_000)
    #expect(try rig.perform(.update(ChannelFields(data: data)), by: "boss").code == .tooLong)
  }

  @Test("a changed custom type causes the limits to be looked up again")
  mutating func customType() throws {
    _ = try rig.perform(.update(ChannelFields(name: "n")), by: "boss")
    #expect(rig.others.isEmpty)
    _ = try rig.perform(.update(ChannelFields(customType: "t")), by: "boss")
    guard case .renewLimits? = rig.others.last else { return #expect(Bool(false)) }
    rig.handle(.floodLimitChanged(RateLimit(count: 1, windowMilliseconds: 1000)))
    _ = try rig.perform(.send("x"), by: "ann")
    #expect(try rig.perform(.send("x"), by: "ann").code == .flood)
  }

  @Test("operations run one at a time, each judged by the result of the previous one")
  mutating func turns() throws {
    let calls = [ChannelCommand.freeze, .freeze, .unfreeze].map {
      rig.begin($0, by: .platform)
    }
    #expect(rig.requests.count == 1)
    rig.answerAll()
    #expect(calls.map { rig.answers[$0]?.channel?.isFrozen } == [true, true, false])
    #expect(rig.events.map(\.seq) == [1, 2])
  }

  @Test("a failing log leaves the record as it was")
  mutating func failure() throws {
    let call = rig.begin(.freeze, by: .participant("boss"))
    rig.failNext(.overloaded)
    #expect(rig.answers[call]?.code == .internalError && !rig.channel.isFrozen)
    #expect(rig.sendCheck(of: "boss", at: rig.now).changes.used == 0)
    #expect(try rig.perform(.freeze, by: "boss").code == nil)
  }

  @Test("a deletion is published, answered, releases the channel, and refuses later commands")
  mutating func deletion() throws {
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    rig.events = []
    let deletion = rig.begin(.delete, by: .participant("boss"))
    let late = rig.begin(.freeze, by: .participant("boss"))
    rig.answerAll()
    #expect(rig.answers[deletion]?.code == nil && rig.answers[late]?.code == .notFound)
    #expect(rig.events.map(\.method) == ["channel.deleted"] && rig.events[0].seq == 2)
    guard case .end = rig.events[0].subject, case .release? = rig.others.last else {
      return #expect(Bool(false))
    }
    for command in [ChannelCommand.send("x"), .deleteMessage(id), .viewMessage(id), .delete] {
      #expect(try rig.perform(command, by: "boss").code == .notFound)
    }
    #expect(throws: ServiceError.self) { try rig.requireEntering("ann", at: 0) }
  }

  @Test("deleted users lose the operator role, and the change is published")
  mutating func deletedOperator() throws {
    _ = try rig.perform(.removeOperators(["boss"]), by: .platform)
    #expect(rig.operatorIDs.isEmpty && rig.events.map(\.seq) == [1])
    #expect(try rig.perform(.freeze, by: "boss").code == .notAllowed)
  }

  @Test("viewing returns the record, the number of participants and the current metadata")
  mutating func view() throws {
    rig.handle(.metadataChanged(["k": "v"]))
    guard case .success(.channel(let view)) = try rig.perform(.view, by: "ann") else {
      return #expect(Bool(false))
    }
    #expect(view.participantCount == 4 && view.channel.metadata == ["k": "v"])
  }
}
