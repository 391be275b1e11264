import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: who may change extra data")
struct MetaArrayRightsTests {
  /// The parties that may call, and the state of the channel or of the caller.
  enum Caller: String, CaseIterable {
    case author, other, chief, away, backEnd

    var principal: Principal {
      switch self {
      case .author: .participant("ann")
      case .other: .participant("ben")
      case .chief: .participant("boss")
      case .away: .participant("away")
      case .backEnd: .platform
      }
    }
  }

  enum State: CaseIterable {
    case open, frozen, muted, banned
  }

  enum Change: CaseIterable {
    case createKey, deleteKey, addValue, addToMissing, removeValue

    var change: MetaArrayChange {
      switch self {
      case .createKey: .createKeys(["new"])
      case .deleteKey: .deleteKeys(["tea"])
      case .addValue: .addValues([MetaArray(key: "tea", values: ["x"])])
      case .addToMissing: .addValues([MetaArray(key: "new", values: ["x"])])
      case .removeValue: .removeValues([MetaArray(key: "tea", values: ["ann"])])
      }
    }

    /// Whether it changes keys, which belong to the author and to operators.
    var isOfKeys: Bool {
      switch self {
      case .createKey, .deleteKey: true
      case .addValue, .addToMissing, .removeValue: false
      }
    }
  }

  /// The answer by the words of the contract.
  private func expected(_ change: Change, by caller: Caller, in state: State) -> ErrorCode? {
    if caller == .backEnd { return nil }
    if state == .banned { return .banned }
    if caller == .away, !change.isOfKeys { return .notInChannel }
    if state == .frozen, caller != .chief { return .frozen }
    if state == .muted { return .muted }
    if caller == .author || caller == .chief { return nil }
    if change.isOfKeys { return .notAllowed }
    return change == .addToMissing ? .notFound : nil
  }

  @Test("the table of rights in the contract applies", arguments: Change.allCases, State.allCases)
  func table(change: Change, state: State) throws {
    for caller in Caller.allCases {
      let rig = try JudgeRig()
      let poll = ChannelCommand.send("poll", metaArrays: [MetaArray(key: "tea", values: ["ann"])])
      let id = try #require(try rig.perform(poll, by: "ann").sent).message.id
      let userID = caller.principal.user?.id ?? "ann"
      switch state {
      case .open: break
      case .frozen: _ = try rig.perform(.freeze, by: .platform)
      case .muted: _ = try rig.perform(.mute(userID), by: .platform)
      case .banned: _ = try rig.perform(.ban(userID), by: .platform)
      }
      let outcome = try rig.perform(
        .changeMetaArrays(ofMessage: id, change.change), by: caller.principal)
      let expected = expected(change, by: caller, in: state)
      #expect(outcome.code == expected, "\(caller), \(state), \(change)")
      #expect((outcome.changed != nil) == (expected == nil))
    }
  }

  @Test("an author who left may change keys, but not count")
  func authorLeft() throws {
    let rig = try JudgeRig()
    let poll = ChannelCommand.send("poll", metaArrays: [MetaArray(key: "tea")])
    let id = try #require(try rig.perform(poll, by: "ann").sent).message.id
    rig.handle(.left(userID: "ann"))
    for change in Change.allCases {
      let outcome = try rig.perform(.changeMetaArrays(ofMessage: id, change.change), by: "ann")
      #expect(outcome.code == (change.isOfKeys ? nil : .notInChannel), "\(change)")
      if change == .deleteKey {
        _ = try rig.perform(.changeMetaArrays(ofMessage: id, .createKeys(["tea"])), by: .platform)
      }
    }
  }

  @Test("keys of an admin message can be changed by operators and the back end")
  func admin() throws {
    let rig = try JudgeRig()
    let id = try #require(
      try rig.perform(.send("x", type: .admin), by: .platform).sent
    ).message.id
    let change = ChannelCommand.changeMetaArrays(ofMessage: id, .createKeys(["k"]))
    #expect(try rig.perform(change, by: "ann").code == .notAllowed)
    #expect(try rig.perform(change, by: "boss").changed?.metaArrays == [MetaArray(key: "k")])
  }

  @Test("the calling connection gets the response, all others the event")
  func event() throws {
    let rig = try JudgeRig()
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let change = ChannelCommand.changeMetaArrays(ofMessage: id, .createKeys(["k"]))
    _ = try rig.perform(change, by: .participant("ann", session: 8))
    #expect(rig.events.last?.author == .sample(8) && rig.events.last?.seq == 2)
    let arrays = rig.events.last?.params?["message"]?["sorted_metaarray"]?.elements
    #expect(arrays?.map { $0["key"]?.string } == ["k"])
  }

  @Test("a change that has no effect returns the message and causes no event")
  func unchanged() throws {
    let rig = try JudgeRig()
    let poll = ChannelCommand.send("poll", metaArrays: [MetaArray(key: "tea", values: ["a"])])
    let id = try #require(try rig.perform(poll, by: "ann").sent).message.id
    let changes: [MetaArrayChange] = [
      .createKeys(["tea"]), .deleteKeys(["none"]),
      .addValues([MetaArray(key: "tea", values: ["a"])]),
      .removeValues([MetaArray(key: "tea", values: ["b"]), MetaArray(key: "none", values: ["a"])]),
      .addValues([]),
    ]
    for change in changes {
      let outcome = try rig.perform(.changeMetaArrays(ofMessage: id, change), by: "ann")
      #expect(outcome.changed?.metaArrays == [MetaArray(key: "tea", values: ["a"])])
    }
    #expect(rig.events.count == 1 && rig.sendCheck(of: "ann", at: rig.now).changes.used == 0)
  }

  @Test("limits apply to the whole change: 10 keys, 100 values, 16 KiB")
  func limits() throws {
    let rig = try JudgeRig()
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let long = String(repeating: "v", count: 180)
    let cases: [(MetaArrayChange, ErrorCode)] = [
      (.createKeys((0...10).map { "k\($0)" }), .tooManyItems),
      (.addValues([MetaArray(key: "k", values: (0...100).map { "\($0)" })]), .tooManyItems),
      (.addValues([MetaArray(key: "k", values: (0..<99).map { "\($0)\(long)" })]), .tooLong),
    ]
    for (change, code) in cases {
      let outcome = try rig.perform(.changeMetaArrays(ofMessage: id, change), by: "ann")
      #expect(outcome.code == code)
    }
    #expect(rig.events.count == 1 && rig.sendCheck(of: "ann", at: rig.now).changes.used == 0)
    let fitting = MetaArrayChange.createKeys((0..<10).map { "k\($0)" })
    #expect(try rig.perform(.changeMetaArrays(ofMessage: id, fitting), by: "ann").changed != nil)
  }
}
