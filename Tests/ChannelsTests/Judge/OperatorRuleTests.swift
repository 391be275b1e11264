import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: rules of operators")
struct OperatorRuleTests {
  private var rig: JudgeRig

  init() throws { rig = try JudgeRig() }

  private mutating func addUsers(_ count: Int) -> [String] {
    let ids = (0..<count).map { "u\($0)" }
    for id in ids { rig.contents.set(User(id: id)) }
    return ids
  }

  @Test("a channel has at most 100 operators, including existing ones")
  mutating func most() throws {
    let ids = addUsers(100)
    #expect(try rig.perform(.addOperators(Array(ids.prefix(99))), by: .platform).code == nil)
    #expect(rig.operatorIDs.count == 100)
    let error = try #require(try rig.perform(.addOperators([ids[99]]), by: "boss").error)
    #expect(error.code == .tooManyItems && error.data.limit == 100)
    #expect(try rig.perform(.removeOperators([ids[0]]), by: "boss").code == nil)
    #expect(try rig.perform(.addOperators([ids[99]]), by: "boss").code == nil)
  }

  @Test("existing operators are not counted twice")
  mutating func known() throws {
    let ids = addUsers(99)
    _ = try rig.perform(.addOperators(ids), by: .platform)
    #expect(try rig.perform(.addOperators(ids + ["boss"]), by: .platform).code == nil)
    #expect(rig.operatorIDs.count == 100 && rig.events.count == 1)
  }

  @Test("an update may replace all 100 operators with 100 others")
  mutating func replacesAll() throws {
    let ids = addUsers(100)
    _ = try rig.perform(.addOperators(Array(ids.prefix(99))), by: .platform)
    let others = (0..<100).map { "v\($0)" }
    for id in others { rig.contents.set(User(id: id)) }
    let outcome = try rig.perform(.update(ChannelFields(operatorIDs: others)), by: "boss")
    #expect(outcome.channel?.operators.map(\.id) == others)
  }

  @Test("operators are listed with their profiles, in the order in which they were added")
  mutating func order() throws {
    _ = try rig.perform(.addOperators(["cat", "ann"]), by: "boss")
    let operators = try #require(rig.events.last?.params?["operators"]).elements
    #expect(operators.map { $0["user_id"]?.string } == ["boss", "cat", "ann"])
    #expect(operators.map { $0["nickname"]?.string } == ["BOSS", "CAT", "ANN"])
  }

  @Test("operators may remove each other and themselves, which may leave the channel with none")
  mutating func nobodys() throws {
    #expect(try rig.perform(.removeOperators(["boss"]), by: "boss").code == nil)
    for command in [ChannelCommand.addOperators(["boss"]), .freeze, .delete] {
      #expect(try rig.perform(command, by: "boss").code == .notAllowed)
    }
    #expect(try rig.perform(.addOperators(["ann"]), by: .platform).code == nil)
    #expect(try rig.perform(.freeze, by: "ann").code == nil)
  }

  @Test("removing several operators lists the remaining ones")
  mutating func removes() throws {
    _ = try rig.perform(.addOperators(["ann", "ben"]), by: "boss")
    _ = try rig.perform(.removeOperators(["ann", "boss", "cat"]), by: .platform)
    let left = try #require(rig.events.last?.params?["operators"]).elements
    #expect(left.map { $0["user_id"]?.string } == ["ben"] && rig.operatorIDs == ["ben"])
  }

  @Test("removing all operators removes every one, and has no effect in a channel without any")
  mutating func removesAll() throws {
    for _ in 0..<2 {
      #expect(try rig.perform(.removeAllOperators, by: .platform).channel?.operators == [])
    }
    #expect(rig.events.map(\.method) == ["channel.operators_changed"])
  }

  @Test("operators can act without being in the channel")
  mutating func away() throws {
    rig.handle(.left(userID: "boss"))
    #expect(try rig.perform(.mute("ann"), by: "boss").code == nil)
    #expect(try rig.perform(.send("x"), by: "boss").code == .notInChannel)
  }

  @Test("the role ends with its event: a former operator can no longer change earlier messages")
  mutating func loses() throws {
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let edit = ChannelCommand.updateMessage(id, MessageChanges(text: "y"))
    #expect(try rig.perform(edit, by: "boss").code == nil)
    _ = try rig.perform(.removeOperators(["boss"]), by: .platform)
    for command in [edit, .deleteMessage(id)] {
      #expect(try rig.perform(command, by: "boss").code == .notAllowed)
    }
  }

  @Test("a new operator can send to the frozen channel at once, and is exempt where configured")
  mutating func gains() throws {
    rig = try JudgeRig(frozen: true, exemptsOperators: true)
    #expect(try rig.perform(.send("x"), by: "ann").code == .frozen)
    _ = try rig.perform(.addOperators(["ann"]), by: .platform)
    for _ in 0..<9 { #expect(try rig.perform(.send("x"), by: "ann").sent != nil) }
    for _ in 0..<9 { #expect(try rig.perform(.removeOperators([]), by: "ann").code == nil) }
    _ = try rig.perform(.removeOperators(["ann"]), by: .platform)
    #expect(try rig.perform(.send("x"), by: "ann").code == .frozen)
  }

  @Test("one operator who is not a user makes the whole change fail")
  mutating func unknown() throws {
    let error = try #require(try rig.perform(.addOperators(["ann", "nobody"]), by: "boss").error)
    #expect(error.code == .notFound && error.data.field == "user_id")
    #expect(rig.operatorIDs == ["boss"] && rig.events.isEmpty)
  }

  @Test("an update that names the current operators changes nothing")
  mutating func sameOperators() throws {
    let fields = ChannelFields(operatorIDs: ["boss"])
    #expect(try rig.perform(.update(fields), by: "boss").channel?.operators.count == 1)
    #expect(rig.events.isEmpty && rig.requests.isEmpty)
  }

  @Test("an update that only removes or only adds operators is one event")
  mutating func oneEvent() throws {
    _ = try rig.perform(.update(ChannelFields(operatorIDs: ["boss", "ann"])), by: "boss")
    _ = try rig.perform(.update(ChannelFields(operatorIDs: ["ann"])), by: "boss")
    #expect(rig.events.map(\.seq) == [1, 2] && rig.operatorIDs == ["ann"])
  }

  @Test("an operator's profile is the one of the channel's latest event")
  mutating func profile() throws {
    rig.contents.set(User(id: "boss", nickname: "Chief"))
    let outcome = try rig.perform(.update(ChannelFields(name: "n")), by: "boss")
    #expect(outcome.channel?.operators.map(\.nickname) == ["Chief"])
    let shown = rig.events.last?.params?["channel"]?["operators"]?.elements
    #expect(shown?.map { $0["nickname"]?.string } == ["Chief"])
  }

  @Test("freezing blocks messages, edits and counters of all but operators")
  mutating func freezing() throws {
    let id = try #require(
      try rig.perform(.send("x", metaArrays: [MetaArray(key: "k")]), by: "ann").sent
    ).message.id
    _ = try rig.perform(.freeze, by: "boss")
    let values = MetaArrayChange.addValues([MetaArray(key: "k", values: ["v"])])
    let commands: [ChannelCommand] = [
      .send("y"), .updateMessage(id, MessageChanges(text: "y")),
      .changeMetaArrays(ofMessage: id, values),
      .changeMetaArrays(ofMessage: id, .createKeys(["l"])),
    ]
    for command in commands {
      #expect(try rig.perform(command, by: "ann").code == .frozen)
      #expect(try rig.perform(command, by: "boss").code == nil)
    }
    #expect(try rig.perform(.deleteMessage(id), by: "ann").code == nil)
    _ = try rig.perform(.unfreeze, by: "boss")
    #expect(try rig.perform(.send("y"), by: "ann").sent != nil)
  }

  @Test("an update publishes fields first, then removed operators, then added ones")
  mutating func orderOfUpdate() throws {
    _ = try rig.perform(.addOperators(["ann"]), by: "boss")
    rig.events = []
    let fields = ChannelFields(name: "n", operatorIDs: ["ann", "ben"])
    _ = try rig.perform(.update(fields), by: "boss")
    #expect(
      rig.events.map(\.method) == [
        "channel.changed", "channel.operators_changed", "channel.operators_changed",
      ])
    #expect(
      rig.events.map { event in
        event.params?["operators"]?.elements.compactMap { $0["user_id"]?.string } ?? []
      } == [[], ["ann"], ["ann", "ben"]])
    #expect(Set(rig.events.map(\.timestamp)) == [rig.now])
  }
}
