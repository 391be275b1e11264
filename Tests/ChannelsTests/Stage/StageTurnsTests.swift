import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Turns of a stage")
struct StageTurnsTests {
  private let ann = SessionAddress.sample(1)
  private let bob = SessionAddress.sample(2, shard: 1)
  private let rig = StageRig()

  init() {
    rig.enter(ann, "ann")
    rig.enter(bob, "bob")
    rig.settle()
  }

  @Test("the author's connection gets the response, the user's other connections the event")
  func author() {
    let second = SessionAddress.sample(3)
    rig.enter(second, "ann")
    rig.settle()
    rig.send(1, by: "ann", from: ann)
    rig.handle(.answer(rig.address(ann), .empty))
    #expect(rig.turn(ann) == ["reply"])
    #expect(rig.take(second) == ["m1"] && rig.take(bob) == ["m1"])
  }

  @Test("a response is sent after all earlier events")
  func answers() {
    rig.publish("first")
    rig.handle(.answer(rig.address(ann), .failure(.internalError)))
    rig.publish("second")
    #expect(rig.awaitsEndOfTurn)
    #expect(rig.turn(ann) == ["first", "second", "reply"])
    #expect(!rig.awaitsEndOfTurn)
    #expect(rig.replies.count == 1)
  }

  @Test("a turn's events are sent in one plan for each shard with subscribers")
  func plans() {
    for number in 1...5 { rig.publish("\(number)") }
    rig.endTurn()
    #expect(rig.plans.map(\.shard) == [0, 1])
    #expect(rig.plans.allSatisfy { $0.plan.payloads.count == 5 && $0.plan.exceptions.isEmpty })
    rig.settle()
    rig.leave(bob, "bob")
    rig.wait(2000)
    rig.settle()
    rig.publish("more")
    rig.endTurn()
    #expect(rig.plans.map(\.shard) == [0])
  }

  @Test("more events than fit into a plan are sent in several plans, in order")
  func manyEvents() {
    for number in 1...150 { rig.publish("\(number)") }
    #expect(rig.turn(bob) == (1...150).map(String.init))
    #expect(rig.plans.map(\.plan.payloads.count) == [64, 64, 64, 64, 22, 22])
  }

  @Test("the share of the majority of participants is the common one")
  func commonShare() {
    rig.handle(.throttle(.init(count: 1, windowMilliseconds: 1000)))
    let eve = SessionAddress.sample(3)
    rig.enter(eve, "eve")
    rig.settle()
    for id in Int64(1)...3 { rig.send(id, by: "eve", from: eve) }
    rig.endTurn()
    #expect(rig.plans.map(\.plan.common.bits) == [0b001, 0b001])
    #expect(rig.plans.map(\.plan.exceptions.count) == [1, 0])
    #expect(rig.take(ann) == ["m1"] && rig.take(eve) == [])
  }

  @Test("events of a channel without participants are not sent")
  func emptyChannel() {
    rig.leave(ann, "ann")
    rig.leave(bob, "bob")
    rig.settle()
    #expect(rig.isIdle)
    rig.publish("unheard")
    #expect(rig.isIdle)
    rig.enter(ann, "ann")
    #expect(rig.turn(ann) == ["in 1@1"])
    #expect(!rig.isIdle)
  }

  @Test("the end of a turn without events sends nothing")
  func quietTurn() {
    let channel = Channel(url: "lobby", createdAt: 0)
    var stage = ChannelStage(
      channel, epoch: "epoch", lastSeq: 0,
      throttleLimit: RateLimit(count: 5, windowMilliseconds: 1000))
    var actions = StageActions()
    stage.handle(.endOfTurn, at: Moment(unix: 0, monotonic: 0), into: &actions)
    #expect(actions.list.isEmpty)
  }
}
