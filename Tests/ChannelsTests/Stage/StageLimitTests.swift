import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Changing throttle limits on a stage")
struct StageLimitTests {
  private let ann = SessionAddress.sample(1)
  private let bob = SessionAddress.sample(2)

  private func rig(_ count: Int, operators: [String] = []) -> StageRig {
    let rig = StageRig(
      limit: RateLimit(count: count, windowMilliseconds: 1000), operators: operators)
    rig.enter(ann, "ann")
    rig.settle()
    return rig
  }

  private func set(_ count: Int, _ window: Int64 = 1000, on rig: StageRig) {
    rig.handle(.throttle(RateLimit(count: count, windowMilliseconds: window)))
  }

  @Test("a lower or higher limit applies from the next message")
  func counts() {
    let rig = rig(3)
    for id in Int64(1)...2 { rig.send(id, by: "bob") }
    set(2, on: rig)
    rig.send(3, by: "bob")
    set(3, on: rig)
    rig.send(4, by: "bob")
    rig.send(5, by: "bob")
    #expect(rig.turn(ann) == ["m1", "m2", "m4"])
  }

  @Test("a longer window counts earlier shown messages")
  func window() {
    let rig = rig(1)
    rig.send(1, by: "bob")
    rig.wait(2_000)
    set(1, 5_000, on: rig)
    rig.send(2, by: "bob")
    #expect(rig.turn(ann) == ["m1"])
    rig.wait(3_000)
    rig.settle()
    rig.send(3, by: "bob")
    #expect(rig.turn(ann) == ["m3"])
  }

  @Test(
    "withheld messages are announced even if the limit is now off, and their updates are withheld")
  func offAfterwards() {
    let rig = rig(1)
    for id in Int64(1)...3 { rig.send(id, by: "bob") }
    set(0, on: rig)
    rig.settle()
    rig.update(2)
    rig.send(4, by: "bob")
    #expect(rig.turn(ann) == ["m4"])
    rig.wait(1_000)
    #expect(rig.take(ann) == ["throttled 2: 2-3"])
  }

  @Test("messages shown while the limit was off do not count once it is on again")
  func onAgain() {
    let rig = rig(1)
    set(0, on: rig)
    for id in Int64(1)...5 { rig.send(id, by: "bob") }
    set(1, on: rig)
    for id in Int64(6)...7 { rig.send(id, by: "bob") }
    #expect(rig.turn(ann) == ["m1", "m2", "m3", "m4", "m5", "m6"])
  }

  @Test("a window of 0 milliseconds also turns the limit off")
  func noWindow() {
    let rig = rig(1)
    set(1, 0, on: rig)
    for id in Int64(1)...5 { rig.send(id, by: "bob") }
    #expect(rig.turn(ann).count == 5 && rig.withheldCount == 0)
  }

  @Test("an operator's window records shown messages, and applies once the role ends")
  func operators() {
    let rig = rig(2, operators: ["ann"])
    for id in Int64(1)...3 { rig.send(id, by: "bob") }
    rig.handle(.record(Channel(url: "lobby", createdAt: 0)))
    rig.send(4, by: "bob")
    #expect(rig.turn(ann) == ["m1", "m2", "m3"])
    rig.wait(1_000)
    rig.settle()
    rig.send(5, by: "bob")
    #expect(rig.turn(ann) == ["m5"])
  }

  @Test("a message that the back end sends for a user is shown to all of the user's connections")
  func backEnd() {
    let rig = rig(1)
    let second = SessionAddress.sample(3, shard: 2)
    rig.enter(second, "ann")
    rig.settle()
    for id in Int64(1)...3 { rig.send(id, by: "ann", from: nil) }
    #expect(rig.turn(ann) == ["m1", "m2", "m3"] && rig.take(second) == ["m1", "m2", "m3"])
    rig.send(4, by: "bob")
    #expect(rig.turn(ann) == [])
  }

  @Test("all connections of a user, on any shard, are notified of withheld messages")
  func shards() {
    let rig = rig(1)
    let others = (1...3).map { SessionAddress.sample(10 + $0, shard: $0) }
    for session in others { rig.enter(session, "ann") }
    rig.enter(bob, "bob")
    rig.settle()
    for id in Int64(1)...3 { rig.send(id, by: "eve") }
    rig.settle()
    rig.wait(1_000)
    for session in others + [ann, bob] {
      #expect(rig.take(session) == ["throttled 2: 2-3"])
    }
    #expect(rig.withheldCount == 4)
  }

  @Test("a user who leaves and reenters has a new window, and gets no earlier notice")
  func returns() {
    let rig = rig(1)
    for id in Int64(1)...3 { rig.send(id, by: "bob") }
    rig.leave(ann, "ann")
    rig.enter(ann, "ann")
    rig.settle()
    rig.send(4, by: "bob")
    rig.update(2)
    #expect(rig.turn(ann) == ["m4", "u2@5"])
    rig.wait(2_000)
    #expect(!rig.take(ann).contains { $0.hasPrefix("throttled") })
  }

  @Test("a message withheld from some participants is shown to those with room in their window")
  func mixed() {
    let rig = rig(1)
    rig.send(1, by: "eve")
    rig.enter(bob, "bob")
    rig.settle()
    rig.send(2, by: "eve")
    #expect(rig.turn(ann) == [] && rig.take(bob) == ["m2"])
    rig.update(2)
    rig.update(1)
    #expect(rig.turn(ann) == ["u1@4"] && rig.take(bob) == ["u2@3", "u1@4"])
  }

  @Test("the back end can read a participant's window, and finds none for other users")
  func question() {
    let limit = RateLimit(count: 2, windowMilliseconds: 1000)
    var stage = ChannelStage(
      Channel(url: "lobby", createdAt: 0), epoch: "e", lastSeq: 0, throttleLimit: limit)
    var actions = StageActions()
    let helper = StageRig()
    stage.handle(
      .enter(helper.request(ann, "ann")), at: Moment(unix: 0, monotonic: 0), into: &actions)
    let facts = MessageFacts(id: 1, createdAt: 5, authorID: "bob")
    let event = ChannelEvent(
      payload: [], subject: .message(facts), seq: 1, timestamp: 5, author: nil)
    stage.handle(.apply(event), at: Moment(unix: 5, monotonic: 5), into: &actions)
    #expect(stage.throttle(of: "ann")?.shownCount(at: 5, limit: limit) == 1)
    #expect(stage.throttle(of: "bob") == nil && stage.contains("ann") && !stage.contains("bob"))
  }
}
