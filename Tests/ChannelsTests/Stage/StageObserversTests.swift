import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Observers of a stage")
struct StageObserversTests {
  private let ann = SessionAddress.sample(1)
  private let bob = SessionAddress.sample(2, shard: 1)
  private let observer = SessionAddress.sample(3, shard: 1)

  /// A stage with Ann and Bob, where one message a second is shown, and an observer.
  private func rig() -> StageRig {
    let rig = StageRig(limit: RateLimit(count: 1, windowMilliseconds: 1000), lastSeq: 7)
    rig.enter(ann, "ann")
    rig.enter(bob, "bob")
    rig.settle()
    rig.handle(.observe(rig.address(observer)))
    return rig
  }

  @Test("an observer gets every message, with the number of participants it was withheld from")
  func unthrottled() {
    let rig = rig()
    for id in Int64(1)...3 { rig.send(id, by: "cleo") }
    rig.endTurn()
    #expect(rig.take(ann) == ["m1"] && rig.take(bob) == ["m1"])
    #expect(
      rig.take(observer)
        == ["hears in 2@7", "m1", "m2", "withheld 2 from 2", "m3", "withheld 3 from 2"])
  }

  @Test("an observer gets no messages from before it subscribed or after it has left")
  func bounds() {
    let rig = StageRig()
    rig.enter(ann, "ann")
    rig.settle()
    rig.send(1, by: "ann", from: ann)
    rig.handle(.observe(rig.address(observer)))
    rig.send(2, by: "ann", from: ann)
    #expect(rig.turn(observer) == ["hears in 1@1", "m2"])
    rig.send(3, by: "ann", from: ann)
    rig.handle(.unobserve(observer))
    #expect(rig.turn(observer) == [])
  }

  @Test("an observer is invisible to participants, and keeps the stage in memory")
  func unseen() {
    let rig = StageRig()
    rig.handle(.observe(rig.address(observer)))
    rig.endTurn()
    #expect(rig.participantCount == 0 && !rig.isIdle)
    rig.publish("news")
    #expect(rig.turn(observer) == ["hears in 0@0", "news"])
    rig.handle(.unobserve(observer))
    #expect(rig.isIdle)
  }

  @Test("the end of the channel is the last event that an observer gets")
  func end() {
    let rig = rig()
    rig.settle()
    rig.publish("end", .end)
    #expect(rig.turn(observer) == ["end", "put out"])
    #expect(rig.isIdle)
  }

  @Test("lost events end the observer's subscription too")
  func abandon() {
    let rig = StageRig()
    rig.handle(.observe(rig.address(observer)))
    rig.handle(.abandon)
    #expect(rig.turn(observer) == ["hears in 0@0", "disconnected"])
  }

  @Test("a stage has at most 100 observers, and an observer that repeats its request counts once")
  func limit() {
    let rig = StageRig()
    for number in 1...100 { rig.handle(.observe(rig.address(.sample(number)))) }
    rig.handle(.observe(rig.address(.sample(1))))
    rig.settle()
    rig.handle(.observe(rig.address(.sample(101))))
    rig.publish("news")
    #expect(rig.turn(.sample(101)) == ["reply"])
    #expect(rig.take(.sample(1)) == ["news"])
    guard case .failure(let error)? = rig.replies.last?.1 else { return #expect(Bool(false)) }
    #expect(error.code == .tooManyItems)
  }
}
