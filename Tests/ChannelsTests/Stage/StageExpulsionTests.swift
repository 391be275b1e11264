import ParleyProtocol
import Testing

@testable import Channels

@Suite("Removal from a stage")
struct StageExpulsionTests {
  private let ann = SessionAddress.sample(1)
  private let bob = SessionAddress.sample(2)
  private let rig = StageRig(lastSeq: 5)

  init() {
    rig.enter(ann, "ann")
    rig.enter(bob, "bob")
    rig.wait(2000)
    rig.settle()
  }

  @Test("a banned user is notified with all others, and then removed")
  func ban() {
    rig.publish("before")
    rig.publish("ban", .expulsion(ofUser: "ann"))
    rig.publish("after")
    #expect(rig.turn(ann) == ["before", "ban", "put out"])
    #expect(rig.take(bob) == ["before", "ban", "-ann 1", "after"])
    #expect(rig.present == ["bob"] && rig.subscribers == [bob])
  }

  @Test("a banned user is removed with all its connections")
  func allConnections() {
    let second = SessionAddress.sample(3, shard: 1)
    rig.enter(second, "ann")
    rig.settle()
    rig.publish("ban", .expulsion(ofUser: "ann"))
    #expect(rig.turn(ann) == ["ban", "put out"] && rig.take(second) == ["ban", "put out"])
    rig.leave(second, "ann")
    #expect(rig.turn(bob) == ["ban", "-ann 1"])
  }

  @Test("a ban of a user who is not present is an event like any other")
  func absentUser() {
    rig.publish("ban", .expulsion(ofUser: "eve"))
    #expect(rig.turn(ann) == ["ban"] && rig.present == ["ann", "bob"])
  }

  @Test("a user banned while its missed events are read is not admitted")
  func whileEntering() throws {
    let eve = SessionAddress.sample(3)
    rig.enter(eve, "eve", recover: 5)
    rig.publish("ban", .expulsion(ofUser: "eve"))
    #expect(rig.turn(eve) == ["reply"] && rig.released == [eve])
    let (_, outcome) = try #require(rig.replies.last)
    #expect(throws: ServiceError.banned("lobby")) { try outcome.get() }
    rig.answerRead([])
    #expect(rig.turn(eve) == [] && !rig.present.contains("eve"))
  }

  @Test("when the channel is deleted, all participants are notified and then removed")
  func end() throws {
    let eve = SessionAddress.sample(3)
    rig.enter(eve, "eve", recover: 5)
    rig.publish("deleted", .end)
    #expect(rig.take(ann) == ["deleted", "put out"] && rig.take(bob) == ["deleted", "put out"])
    #expect(rig.present == [] && rig.participantCount == 0)
    #expect(rig.turn(eve) == ["reply"] && rig.released == [eve])
    let (_, outcome) = try #require(rig.replies.last)
    #expect(throws: ServiceError.notFound(.channel, "lobby")) { try outcome.get() }
    #expect(rig.isIdle)
  }

  @Test("no pending event is published after the channel's end")
  func silence() {
    for id in Int64(1)...9 { rig.send(id, by: "eve") }
    for _ in 1...2 { rig.update(1) }
    rig.publish("deleted", .end)
    rig.settle()
    rig.wait(10_000)
    #expect(rig.take(ann) == [] && rig.deadline == nil)
  }
}
