import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Entering a stage")
struct StageEnteringTests {
  private let ann = SessionAddress.sample(1)
  private let bob = SessionAddress.sample(2)

  private func message(_ id: Int64, by userID: String = "bob", at time: Int64 = 0) -> Message {
    Message(
      id: id, channelURL: "lobby", user: User(id: userID), text: "text \(id)", createdAt: time)
  }

  private func received(_ seqs: ClosedRange<Int64>) -> [DurableEvent] {
    seqs.map { .received(message($0), seq: $0) }
  }

  @Test("the response shows the channel, and later events follow")
  func answer() throws {
    let rig = StageRig(lastSeq: 41)
    rig.publish("before")
    rig.enter(ann, "ann")
    rig.publish("after")
    #expect(rig.turn(ann) == ["in 1@42", "after"])
    let result = try #require(rig.welcomes.first)
    #expect(result["channel"]?["channel_url"]?.string == "lobby")
    #expect(result["channel"]?["participant_count"]?.integer == 1)
    #expect(result["epoch"]?.string == "epoch")
    #expect(
      result["recovered"]?.bool == false
        && result["events"].map { Array($0.elements).isEmpty } == true)
  }

  @Test("events of the same turn from before the entry go only to earlier participants")
  func sameTurn() {
    let rig = StageRig()
    rig.enter(bob, "bob")
    rig.publish("before")
    rig.enter(ann, "ann")
    #expect(rig.take(bob) == ["in 1@0", "before"])
    #expect(rig.turn(ann) == ["in 2@1"])
  }

  @Test("entering again gets a new response, and nothing is delivered twice")
  func again() {
    let rig = StageRig()
    rig.enter(ann, "ann")
    rig.settle()
    rig.publish("one")
    rig.enter(ann, "ann")
    rig.publish("two")
    #expect(rig.turn(ann) == ["one", "in 1@1", "two"])
    #expect(rig.present == ["ann"])
  }

  @Test("missed events come with the response, later ones as events")
  func recovers() {
    let rig = StageRig(lastSeq: 10)
    rig.enter(ann, "ann", recover: 8)
    #expect(rig.reads.first?.seq == 8 && rig.reads.first?.path == .beside)
    #expect(rig.reads.first?.updateReach == UpdatePacer<Int>.reach)
    #expect(!rig.isIdle && rig.take(ann) == [])
    rig.answerRead(received(9...10))
    rig.publish("next")
    #expect(rig.turn(ann) == [#"in 1@10 ["m9", "m10"]"#, "next"])
  }

  @Test("a client that missed nothing recovers an empty list")
  func upToDate() {
    let rig = StageRig(lastSeq: 10)
    rig.enter(ann, "ann", recover: 10)
    rig.answerRead([])
    #expect(rig.turn(ann) == ["in 1@10 []"])
  }

  @Test("events during a read are read too, and nothing is lost or duplicated")
  func readsOn() {
    let rig = StageRig(lastSeq: 10)
    rig.enter(ann, "ann", recover: 9)
    rig.publish("11")
    rig.answerRead(received(10...10))
    #expect(rig.reads.first?.seq == 10 && rig.reads.first?.updateReach == nil)
    rig.answerRead(received(11...11))
    #expect(rig.turn(ann) == [#"in 1@11 ["m10", "m11"]"#])
  }

  @Test("events that are committed but not published here follow as events")
  func readsAhead() {
    let rig = StageRig(lastSeq: 10)
    rig.enter(ann, "ann", recover: 9)
    rig.answerRead(received(10...12))
    rig.publish("11")
    #expect(rig.turn(ann) == [#"in 1@10 ["m10"]"#, "11"])
  }

  @Test("in a busy channel the fourth read is queued after the writes, and is the last")
  func busyChannel() {
    let rig = StageRig(lastSeq: 10)
    rig.enter(ann, "ann", recover: 10)
    var paths: [RecoveryRead.Path] = []
    while let read = rig.reads.first {
      paths.append(read.path)
      rig.publish("busy")
      rig.answerRead([])
    }
    #expect(paths == [.beside, .beside, .beside, .behindWrites])
    #expect(rig.turn(ann) == ["in 1@14 []"])
  }

  @Test(
    "a position of another epoch, of the future or too far back is not recovered",
    arguments: [("other", 400), ("epoch", 401), ("epoch", 99), ("epoch", -1)])
  func unknownPosition(epoch: String, seq: Int64) {
    let rig = StageRig(lastSeq: 400)
    rig.enter(ann, "ann", recover: seq, epoch: epoch)
    #expect(rig.reads.isEmpty && rig.turn(ann) == ["in 1@400"])
  }

  @Test("up to 300 missed events are recovered")
  func farthestPosition() {
    let rig = StageRig(lastSeq: 400)
    rig.enter(ann, "ann", recover: 100)
    #expect(rig.reads.first?.seq == 100)
    rig.publish("one more")
    rig.answerRead(received(101...400))
    #expect(rig.turn(ann) == ["in 1@401"])
  }

  @Test("an ephemeral channel recovers nothing")
  func ephemeral() {
    let rig = StageRig(isEphemeral: true, lastSeq: 10)
    rig.enter(ann, "ann", recover: 10)
    #expect(rig.reads.isEmpty && rig.turn(ann) == ["in 1@10"])
  }

  @Test("events that the log does not have, or that do not fit, are not recovered")
  func missing() {
    let rig = StageRig(lastSeq: 10)
    rig.enter(ann, "ann", recover: 8)
    rig.answerRead(nil)
    #expect(rig.turn(ann) == ["in 1@10"])
    rig.enter(bob, "bob", recover: 8, limit: Limits.eventByteCount + 100)
    #expect(rig.reads.first?.byteLimit == 100)
    rig.answerRead(received(9...10))
    #expect(rig.turn(bob) == ["in 2@10"])
  }

  @Test("a failed read refuses the connection's entry")
  func failedRead() {
    let rig = StageRig(lastSeq: 10)
    rig.enter(ann, "ann", recover: 8)
    rig.handle(.recovered(rig.takeRead().number, .failure(.internalError)))
    #expect(rig.turn(ann) == ["reply"])
    #expect(rig.released == [ann] && rig.isIdle)
  }

  @Test(
    "of missed messages the throttle shows what it would have shown, starting with an empty window")
  func recoveredThrottle() {
    let rig = StageRig(limit: RateLimit(count: 2, windowMilliseconds: 1000), lastSeq: 4)
    rig.enter(ann, "ann", recover: 0)
    rig.answerRead((1...4).map { .received(message($0, at: rig.unix), seq: $0) })
    #expect(rig.turn(ann) == [#"in 1@4 ["m1", "m2", "throttled 2: 3-4"]"#])
    rig.send(5, by: "bob")
    for id in Int64(2)...3 { rig.update(id) }
    #expect(rig.turn(ann) == ["u2@6"])
    rig.wait(1000)
    #expect(rig.take(ann) == ["throttled 1: 5-5"])
  }

  @Test("a recovering connection of a present user does not affect the user's window")
  func secondConnection() {
    let rig = StageRig(limit: RateLimit(count: 2, windowMilliseconds: 1000))
    rig.enter(ann, "ann")
    rig.send(1, by: "bob")
    rig.settle()
    let second = SessionAddress.sample(3)
    rig.enter(second, "ann", recover: 1)
    rig.answerRead([])
    for id in Int64(2)...3 { rig.send(id, by: "bob") }
    #expect(rig.turn(second) == ["in 1@1 []", "m2"])
  }

  @Test("delayed updates come as events, not with the response")
  func heldUpdates() {
    let rig = StageRig()
    rig.enter(bob, "bob")
    for _ in 1...2 { rig.update(7) }
    rig.enter(ann, "ann", recover: 0)
    rig.answerRead([.updated(message(7), seq: 2, timestamp: rig.unix)])
    rig.wait(200)
    #expect(rig.turn(ann) == ["in 2@2 []", "u7@2"])
  }

  @Test("a refused connection is released, unless it is in the channel")
  func refusal() {
    let rig = StageRig()
    rig.handle(.refuse(rig.request(ann, "ann"), .banned("lobby")))
    #expect(rig.released == [ann] && rig.turn(ann) == ["reply"])
    rig.enter(bob, "bob")
    rig.handle(.refuse(rig.request(bob, "bob"), .banned("lobby")))
    #expect(rig.released == [ann])
  }
}
