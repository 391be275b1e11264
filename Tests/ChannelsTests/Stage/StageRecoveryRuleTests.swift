import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Rules of recovery on a stage")
struct StageRecoveryRuleTests {
  private let ann = SessionAddress.sample(1)
  private let bob = SessionAddress.sample(2)

  private func message(
    _ id: Int64, _ text: String = "text", by userID: String? = "bob", at time: Int64 = 0
  ) -> Message {
    Message(
      id: id, channelURL: "lobby", user: userID.map { User(id: $0) }, text: text, createdAt: time)
  }

  private func texts(_ welcome: JSONNode?) -> [String?] {
    welcome?["events"]?.elements.map { $0["params"]?["message"]?["message"]?.string } ?? []
  }

  private func rig(_ count: Int, lastSeq: Int64, operators: [String] = []) -> StageRig {
    StageRig(
      limit: RateLimit(count: count, windowMilliseconds: 1000), operators: operators,
      lastSeq: lastSeq)
  }

  @Test("a message deleted while its event is read is omitted, its deletion is not")
  func deletedMeanwhile() {
    let rig = StageRig(lastSeq: 2)
    rig.enter(ann, "ann", recover: 0)
    rig.delete(1)
    rig.answerRead([.received(message(1), seq: 1), .received(message(2), seq: 2)])
    rig.answerRead([.deleted(Event.Deletion(messageID: 1), seq: 3, timestamp: rig.unix)])
    #expect(rig.turn(ann) == [#"in 1@3 ["m2", "d1"]"#])
  }

  @Test("a message edited while its event is read is delivered in its current state")
  func editedMeanwhile() {
    let rig = StageRig(lastSeq: 1)
    rig.enter(ann, "ann", recover: 0)
    rig.update(1)
    rig.answerRead([.received(message(1, "old"), seq: 1)])
    rig.answerRead([.updated(message(1, "new"), seq: 2, timestamp: rig.unix)])
    #expect(rig.turn(ann) == [#"in 1@2 ["m1", "u1@2"]"#])
    #expect(texts(rig.welcomes.last) == ["new", "new"])
  }

  @Test("a deleted message does not count in the window of recovering users")
  func deletedTakesNoPlace() {
    let rig = rig(1, lastSeq: 2)
    rig.enter(ann, "ann", recover: 0)
    rig.delete(1)
    rig.answerRead([
      .received(message(1, at: rig.unix), seq: 1), .received(message(2, at: rig.unix), seq: 2),
    ])
    rig.answerRead([.deleted(Event.Deletion(messageID: 1), seq: 3, timestamp: rig.unix)])
    #expect(rig.turn(ann) == [#"in 1@3 ["m2", "d1"]"#])
  }

  @Test(
    "300 missed events are recovered and 301 are not, whatever their kind", arguments: [300, 301])
  func reach(count: Int64) {
    let rig = StageRig(lastSeq: 1_000)
    rig.enter(ann, "ann", recover: 1_000 - count)
    if count == 300 {
      rig.answerRead([.received(message(9), seq: 1_000)])
      #expect(rig.turn(ann) == [#"in 1@1000 ["m9"]"#])
    } else {
      #expect(rig.reads.isEmpty && rig.turn(ann) == ["in 1@1000"])
    }
  }

  @Test("a new channel is recovered from its beginning, 0")
  func beginning() {
    let rig = StageRig(lastSeq: 0)
    rig.enter(ann, "ann", recover: 0)
    rig.answerRead([])
    #expect(rig.turn(ann) == ["in 1@0 []"])
  }

  @Test("the recovered events include the user's own messages, and those of the back end")
  func ownMessages() {
    let rig = rig(1, lastSeq: 4)
    rig.enter(ann, "ann", recover: 0)
    rig.answerRead([
      .received(message(1, by: "ann", at: 5), seq: 1),
      .received(message(2, by: "bob", at: 6), seq: 2),
      .received(message(3, by: "ann", at: 7), seq: 3),
      .received(message(4, by: nil, at: 8), seq: 4),
    ])
    #expect(rig.turn(ann) == [#"in 1@4 ["m1", "m3", "m4", "throttled 1: 2-2"]"#])
  }

  @Test("an operator recovers everything")
  func operators() {
    let rig = rig(1, lastSeq: 3, operators: ["ann"])
    rig.enter(ann, "ann", recover: 0)
    rig.answerRead((1...3).map { .received(message($0, at: 5), seq: $0) })
    #expect(rig.turn(ann) == [#"in 1@3 ["m1", "m2", "m3"]"#])
  }

  @Test("one notice covers all withheld recovered messages, with the time of the response")
  func oneNotice() {
    let rig = rig(1, lastSeq: 6)
    rig.enter(ann, "ann", recover: 0)
    rig.answerRead((1...6).map { .received(message($0, at: $0 / 4 * 2_000), seq: $0) })
    #expect(rig.turn(ann) == [#"in 1@6 ["m1", "m4", "throttled 4: 2-6"]"#])
    let notice = rig.welcomes.last?["events"]?.elements.map { $0 }.last
    #expect(notice?["params"]?["ts"]?.integer == rig.unix)
    rig.wait(3_000)
    #expect(rig.take(ann) == [])
  }

  @Test("later updates of withheld messages are withheld, of shown messages are shown")
  func laterUpdates() {
    let rig = rig(1, lastSeq: 2)
    rig.enter(ann, "ann", recover: 0)
    rig.answerRead((1...2).map { .received(message($0, at: rig.unix), seq: $0) })
    rig.settle()
    for id in Int64(1)...2 { rig.update(id) }
    rig.delete(2)
    #expect(rig.turn(ann) == ["u1@3", "d2"])
  }

  @Test("the window continues from the recovered messages")
  func windowGoesOn() {
    let rig = rig(2, lastSeq: 1)
    rig.enter(ann, "ann", recover: 0)
    rig.answerRead([.received(message(1, at: rig.unix), seq: 1)])
    for id in Int64(2)...3 { rig.send(id, by: "bob") }
    #expect(rig.turn(ann) == [#"in 1@1 ["m1"]"#, "m2"])
    rig.wait(1_000)
    #expect(rig.take(ann) == ["throttled 1: 3-3"])
  }

  @Test("with the throttle off all events are recovered")
  func off() {
    let rig = rig(0, lastSeq: 9)
    rig.enter(ann, "ann", recover: 0)
    rig.answerRead((1...9).map { .received(message($0, at: 5), seq: $0) })
    #expect(rig.welcomes.last?["events"].map { Array($0.elements).count } == 9)
  }

  @Test("the space for events is the response limit minus one event, or none if smaller")
  func room() {
    let rig = StageRig(lastSeq: 3)
    for (limit, expected) in [(Limits.answerByteCount, 458_752), (70_000, 4_464), (1_000, 0)] {
      rig.enter(ann, "ann", recover: 2, limit: limit)
      #expect(rig.takeRead().byteLimit == Int64(expected))
    }
  }

  @Test("a connection closed in the meantime enters and leaves without a trace")
  func closed() {
    let rig = StageRig(lastSeq: 1)
    rig.enter(bob, "bob")
    rig.settle()
    rig.enter(ann, "ann", recover: 0)
    rig.leave(ann, "ann")
    rig.answerRead([.received(message(1), seq: 1)])
    rig.leave(ann, "ann")
    rig.wait(2_000)
    #expect(rig.present == ["bob"] && rig.participantCount == 1 && rig.deadline == nil)
  }

  @Test("several connections of a user recover independently")
  func severalConnections() {
    let rig = StageRig(lastSeq: 3)
    let second = SessionAddress.sample(3, shard: 1)
    rig.enter(ann, "ann", recover: 1)
    rig.enter(second, "ann", recover: 2)
    let later = rig.reads[1].number
    rig.handle(.recovered(later, .success([.received(message(3), seq: 3)])))
    #expect(rig.turn(second) == [#"in 1@3 ["m3"]"#] && rig.take(ann) == [])
    rig.answerRead([.received(message(2), seq: 2), .received(message(3), seq: 3)])
    #expect(rig.turn(ann) == [#"in 1@3 ["m2", "m3"]"#])
    #expect(rig.present == ["ann"] && rig.participantCount == 1)
  }

  @Test("an answer to a read that no connection waits for is ignored")
  func stray() {
    let rig = StageRig(lastSeq: 3)
    rig.handle(.recovered(7, .success([])))
    rig.handle(.recovered(8, .failure(.internalError)))
    #expect(rig.replies.isEmpty && rig.present.isEmpty && rig.isIdle)
  }

  @Test("a second answer to the same read changes nothing")
  func twice() {
    let rig = StageRig(lastSeq: 1)
    rig.enter(ann, "ann", recover: 1)
    let number = rig.takeRead().number
    for _ in 0..<2 { rig.handle(.recovered(number, .success([]))) }
    #expect(rig.turn(ann) == ["in 1@1 []"])
  }

  @Test("a failed read of one connection does not affect the reads of others")
  func failedBesideOthers() {
    let rig = StageRig(lastSeq: 1)
    rig.enter(ann, "ann", recover: 0)
    rig.enter(bob, "bob", recover: 0)
    rig.handle(.recovered(rig.takeRead().number, .failure(.internalError)))
    rig.answerRead([.received(message(1), seq: 1)])
    #expect(rig.turn(ann) == ["reply"] && rig.take(bob) == [#"in 1@1 ["m1"]"#])
    #expect(rig.released == [ann])
  }

  @Test("messages withheld from a present user stay withheld when another connection recovers")
  func secondConnectionKeepsWithheld() {
    let rig = rig(1, lastSeq: 0)
    rig.enter(ann, "ann")
    for id in Int64(1)...2 { rig.send(id, by: "bob") }
    rig.settle()
    let second = SessionAddress.sample(3)
    rig.enter(second, "ann", recover: 0)
    rig.answerRead((1...2).map { .received(message($0, at: $0 * 5_000), seq: $0) })
    rig.settle()
    rig.update(2)
    #expect(rig.turn(ann) == [])
    rig.wait(1_000)
    #expect(rig.take(ann) == ["throttled 1: 2-2"])
  }

  @Test("another connection of the user recovers exactly what the first was shown")
  func besideAnother() {
    let rig = rig(2, lastSeq: 0)
    rig.enter(ann, "ann")
    var times: [Int64] = []
    for id in Int64(1)...4 {
      times.append(rig.unix)
      rig.send(id, by: "bob")
      rig.wait(id == 2 ? 700 : 200)
    }
    #expect(rig.take(ann) == ["in 1@0", "m1", "m2", "m4"])
    let second = SessionAddress.sample(3)
    // From here on an empty window would show both messages.
    rig.enter(second, "ann", recover: 1)
    rig.answerRead((2...4).map { .received(message($0, at: times[Int($0) - 1]), seq: $0) })
    #expect(rig.turn(second) == [#"in 1@4 ["m2", "m4", "throttled 1: 3-3"]"#])
  }

  @Test("another connection recovers as many earlier messages as fit into the user's window")
  func beforeAnother() {
    let rig = rig(2, lastSeq: 3)
    let start = rig.unix
    rig.enter(ann, "ann")
    rig.send(4, by: "bob")
    #expect(rig.turn(ann) == ["in 1@3", "m4"])
    let second = SessionAddress.sample(3)
    for (number, shown) in [(second, ["m1", "m3", "m4"]), (.sample(4), ["m1", "m3", "m4"])] {
      rig.enter(number, "ann", recover: 0)
      rig.answerRead([
        .received(message(1, at: start - 1_000), seq: 1),
        .received(message(2, by: "bob", at: start - 900), seq: 2),
        .received(message(3, by: "ann", at: start - 800), seq: 3),
        .received(message(4, at: start), seq: 4),
      ])
      let texts = (shown + ["throttled 1: 2-2"]).map { #""\#($0)""# }.joined(separator: ", ")
      #expect(rig.turn(number) == ["in 1@4 [\(texts)]"])
    }
  }

  @Test("events of other epochs are not recovered", arguments: ["", "Epoch", "epoch2"])
  func epochs(epoch: String) {
    let rig = StageRig(lastSeq: 3)
    rig.enter(ann, "ann", recover: 3, epoch: epoch)
    #expect(rig.reads.isEmpty && rig.turn(ann) == ["in 1@3"])
    #expect(rig.welcomes.last?["epoch"]?.string == "epoch")
  }
}
