import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: extra data")
struct MetaArrayTests {
  private var rig: JudgeRig
  private let id: Int64
  private let tea = [MetaArray(key: "tea", values: ["ann"])]

  init() throws {
    rig = try JudgeRig()
    let poll = ChannelCommand.send("poll", metaArrays: [MetaArray(key: "tea")])
    id = try #require(try rig.perform(poll, by: "ann").sent).message.id
    rig.events = []
  }

  private mutating func change(
    _ change: MetaArrayChange, by userID: String
  ) throws -> JudgeRig.Outcome {
    try rig.perform(.changeMetaArrays(ofMessage: id, change), by: userID)
  }

  @Test("the author and operators may change keys")
  mutating func keys() throws {
    #expect(try change(.createKeys(["milk"]), by: "ben").code == .notAllowed)
    #expect(
      try change(.createKeys(["milk"]), by: "ann").changed?.metaArrays.map(\.key) == [
        "tea", "milk",
      ])
    #expect(try change(.deleteKeys(["milk"]), by: "ben").code == .notAllowed)
    #expect(try change(.deleteKeys(["milk"]), by: "boss").changed?.metaArrays.map(\.key) == ["tea"])
  }

  @Test("every participant who may send may change values")
  mutating func values() throws {
    #expect(try change(.addValues(tea), by: "ben").changed?.metaArrays == tea)
    #expect(try change(.addValues(tea), by: "away").code == .notInChannel)
    _ = try rig.perform(.mute("cat"), by: "boss")
    #expect(try change(.addValues(tea), by: "cat").code == .muted)
    #expect(
      try change(.removeValues(tea), by: "ben").changed?.metaArrays == [MetaArray(key: "tea")])
    _ = try rig.perform(.freeze, by: "boss")
    #expect(try change(.addValues(tea), by: "ben").code == .frozen)
    #expect(try change(.addValues(tea), by: "boss").changed != nil)
  }

  @Test("a missing key is created only for callers who may create keys")
  mutating func createsKeys() throws {
    let milk = [MetaArray(key: "milk", values: ["x"])]
    #expect(try change(.addValues(milk), by: "ben").code == .notFound)
    #expect(try change(.addValues(milk), by: "ann").changed?.metaArrays.count == 2)
    #expect(try change(.addValues(milk), by: "boss").code == nil)
  }

  @Test("the back end may require keys to exist")
  mutating func knownKeys() throws {
    let milk = [MetaArray(key: "milk", values: ["x"])]
    for change in [
      MetaArrayChange.addValuesToKnownKeys(milk), .removeValuesFromKnownKeys(milk),
    ] {
      let outcome = try rig.perform(.changeMetaArrays(ofMessage: id, change), by: .platform)
      #expect(outcome.code == .notFound && outcome.error?.data.field == "sorted_metaarray")
    }
    let outcome = try rig.perform(
      .changeMetaArrays(ofMessage: id, .addValuesToKnownKeys(tea)), by: .platform)
    #expect(outcome.changed?.metaArrays == tea)
  }

  @Test("a change that has no effect is answered, but not stored, published or counted")
  mutating func void() throws {
    for _ in 0..<9 { #expect(try change(.createKeys(["tea"]), by: "ann").changed != nil) }
    #expect(rig.events.isEmpty)
    #expect(rig.sendCheck(of: "ann", at: rig.now).changes.used == 0)
  }

  @Test("updated_at stays, and the change is published")
  mutating func publishes() throws {
    let changed = try #require(try change(.addValues(tea), by: "ben").changed)
    #expect(changed.updatedAt == 0 && rig.events.map(\.method) == ["message.updated"])
    #expect(rig.tally.updated == 0)
  }

  @Test("concurrent values all count: none is lost between reading and writing")
  mutating func poll() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 50, windowMilliseconds: 1000))
    let message = try #require(
      try rig.perform(.send("poll", metaArrays: [MetaArray(key: "tea")]), by: "ann").sent
    ).message
    var calls: [UInt64] = []
    for number in 0..<30 {
      let value = [MetaArray(key: "tea", values: ["\(number)"])]
      calls.append(
        rig.begin(
          .changeMetaArrays(ofMessage: message.id, .addValues(value)), by: .participant("ben")))
    }
    rig.answerAll()
    #expect(rig.answers[calls[29]]?.changed?.metaArrays[0].values.count == 30)
    #expect(calls.allSatisfy { rig.answers[$0]?.code == nil })
  }

  @Test("limits of keys and values are enforced")
  mutating func limits() throws {
    let keys = (0..<10).map { "k\($0)" }
    #expect(try change(.createKeys(keys), by: "ann").code == .tooManyItems)
    let values = [MetaArray(key: "tea", values: (0..<101).map { "\($0)" })]
    #expect(try change(.addValues(values), by: "ann").code == .tooManyItems)
    var most = MetaArrayLimits()
    most.keyCount = 11
    most.valueCount = 101
    rig = try JudgeRig(metaArrayLimits: most)
    let poll = ChannelCommand.send("poll", metaArrays: [MetaArray(key: "tea")])
    let other = try #require(try rig.perform(poll, by: "ann").sent).message.id
    for change in [MetaArrayChange.createKeys(keys), .addValues(values)] {
      let outcome = try rig.perform(.changeMetaArrays(ofMessage: other, change), by: "ann")
      #expect(outcome.changed != nil)
    }
  }
}
