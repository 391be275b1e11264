import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Members who recover missed events on a stage")
struct StageMemberRecoveryTests {
  private let ann = SessionAddress.sample(1)
  private let bob = SessionAddress.sample(2)
  private let rig = StageRig(
    limit: RateLimit(count: 0, windowMilliseconds: 0), lastSeq: 5, group: Group())

  init() {
    rig.seek()
    rig.answerSeek([(ann, "ann"), (bob, "bob")])
    rig.settle()
  }

  private func message(_ id: Int64, at time: Int64 = 0) -> Message {
    Message(id: id, channelURL: "lobby", user: User(id: "bob"), text: "text", createdAt: time)
  }

  @Test("missed events come without being seated again, and live ones go on")
  func recovers() {
    rig.recover(ann, "ann", after: 3)
    rig.answerRead([.received(message(1), seq: 4), .received(message(2), seq: 5)])
    rig.send(3, by: "bob")
    #expect(rig.turn(ann) == [#"at 5 ["m1", "m2"]"#, "m3"])
    #expect(rig.take(bob) == ["m3"] && rig.seatedCount == 2 && rig.isIdle)
  }

  @Test("the answer follows the events up to its position, and contains those of its own read")
  func order() {
    rig.recover(ann, "ann", after: 4)
    rig.send(6, by: "bob")
    rig.answerRead([.received(message(5), seq: 5)])
    #expect(rig.take(ann) == [])
    rig.answerRead([.received(message(6), seq: 6)])
    #expect(rig.turn(ann) == ["m6", #"at 6 ["m5", "m6"]"#])
  }

  @Test(
    "other positions are answered without events",
    arguments: [(6, "epoch"), (5, "other"), (-1, "epoch")] as [(Int64, String)])
  func positions(seq: Int64, epoch: String) {
    rig.recover(ann, "ann", after: seq, epoch: epoch)
    #expect(rig.reads.isEmpty && rig.turn(ann) == ["at 5"])
    #expect(rig.recovered == [.success(RecoveredGroup(epoch: "epoch", seq: 5, events: nil))])
  }

  @Test("events that the log has lost or that do not fit are not recovered")
  func missing() {
    rig.recover(ann, "ann", after: 4)
    rig.answerRead(nil)
    rig.recover(ann, "ann", after: 4, limit: 100)
    rig.answerRead([.received(message(5), seq: 5)])
    #expect(rig.turn(ann) == ["at 5", "at 5"])
  }

  @Test("a failed read is an error, and the connection stays")
  func failure() {
    rig.recover(ann, "ann", after: 4)
    rig.handle(.recovered(rig.takeRead().number, .failure(.internalError)))
    rig.send(6, by: "bob")
    #expect(rig.turn(ann) == ["refused 500901", "m6"])
  }

  @Test("to a user who leaves meanwhile, the group does not exist")
  func departs() {
    rig.recover(ann, "ann", after: 4)
    rig.publish("ann leaves", .departure(ofUser: "ann", .left))
    #expect(rig.take(ann).contains("refused 400201"))
    rig.answerRead([.received(message(5), seq: 5)])
    #expect(rig.recovered.count == 1 && !rig.turn(ann).contains("at 6"))
  }

  @Test("a member sees nothing from before its history, and no events from before it joined")
  func history() {
    rig.recover(
      ann, "ann", after: 0, in: VisibleHistory(messagesFrom: 100, eventsFrom: 50))
    rig.answerRead([
      .received(message(1, at: 99), seq: 1), .received(message(2, at: 100), seq: 2),
      .updated(message(1, at: 99), seq: 3, timestamp: 200),
      .deleted(Event.Deletion(messageID: 7), seq: 4, timestamp: 49),
      .deleted(Event.Deletion(messageID: 8), seq: 5, timestamp: 50),
    ])
    #expect(rig.turn(ann) == [#"at 5 ["m2", "d8"]"#])
  }

  @Test("what the throttle withholds from a member stays withheld")
  func throttled() {
    let rig = StageRig(
      limit: RateLimit(count: 1, windowMilliseconds: 1000), lastSeq: 2, group: Group())
    rig.seat(ann, "ann")
    rig.settle()
    rig.recover(ann, "ann", after: 0)
    rig.answerRead([
      .received(message(1, at: rig.unix), seq: 1), .received(message(2, at: rig.unix), seq: 2),
    ])
    #expect(rig.take(ann) == [#"at 2 ["m1", "throttled 1: 2-2"]"#])
    rig.update(1)
    rig.update(2)
    #expect(rig.turn(ann) == ["u1@3"])
  }
}
