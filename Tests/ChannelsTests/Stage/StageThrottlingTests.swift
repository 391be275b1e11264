import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Throttling on a stage")
struct StageThrottlingTests {
  private let ann = SessionAddress.sample(1)
  private let bob = SessionAddress.sample(2, shard: 1)

  /// A stage with Ann and Bob, where one message a second is shown.
  private func rig(limit: Int = 1, operators: [String] = []) -> StageRig {
    let rig = StageRig(
      limit: RateLimit(count: limit, windowMilliseconds: 1000), operators: operators)
    rig.enter(ann, "ann")
    rig.enter(bob, "bob")
    rig.settle()
    return rig
  }

  @Test("in any second no more messages of others are shown than the limit")
  func window() {
    let rig = rig(limit: 2)
    for id in Int64(1)...4 { rig.send(id, by: "bob") }
    #expect(rig.turn(ann) == ["m1", "m2"])
    rig.wait(999)
    rig.settle()
    rig.send(5, by: "bob")
    #expect(rig.turn(ann) == [])
    rig.wait(1)
    rig.send(6, by: "bob")
    #expect(rig.turn(ann) == ["m6"])
  }

  @Test("windows are computed from message times, not from the clock")
  func messageTimes() {
    let rig = rig()
    for (id, time) in [(Int64(1), Int64(100)), (2, 1099), (3, 1100)] {
      rig.publish("m\(id)", .message(MessageFacts(id: id, createdAt: time, authorID: "bob")))
    }
    #expect(rig.turn(ann) == ["m1", "m3"])
  }

  @Test("a user's own messages are always shown, and count")
  func ownMessages() {
    let rig = rig()
    for id in Int64(1)...3 { rig.send(id, by: "ann") }
    rig.send(4, by: "bob")
    #expect(rig.turn(ann) == ["m1", "m2", "m3"])
    #expect(rig.turn(bob) == ["m1", "m4"])
  }

  @Test("admin messages are always shown, and do not count")
  func adminMessages() {
    let rig = rig()
    for id in Int64(1)...3 { rig.send(id, by: nil) }
    rig.send(4, by: "bob")
    #expect(rig.turn(ann) == ["m1", "m2", "m3", "m4"])
  }

  @Test("operators are shown everything")
  func operators() {
    let rig = rig(operators: ["ann"])
    for id in Int64(1)...4 { rig.send(id, by: "other") }
    #expect(rig.turn(ann) == ["m1", "m2", "m3", "m4"])
    #expect(rig.turn(bob) == ["m1"])
  }

  @Test("a change of operators applies from its position among the events on")
  func operatorsInOrder() {
    let rig = rig()
    rig.send(1, by: "other")
    rig.send(2, by: "other")
    rig.publish(
      "operators", .record(Channel(url: "lobby", operators: [User(id: "ann")], createdAt: 0)))
    rig.send(3, by: "other")
    rig.handle(.record(Channel(url: "lobby", createdAt: 0)))
    rig.send(4, by: "other")
    #expect(rig.turn(ann) == ["m1", "operators", "m3"])
    #expect(rig.turn(bob) == ["m1", "operators"])
  }

  @Test("all connections of a user share its window, which begins with the first")
  func perUser() {
    let rig = rig()
    let second = SessionAddress.sample(3)
    rig.send(1, by: "bob")
    rig.enter(second, "ann")
    rig.settle()
    rig.send(2, by: "bob")
    #expect(rig.turn(ann) == [] && rig.take(second) == [])
    rig.leave(ann, "ann")
    rig.leave(second, "ann")
    rig.enter(ann, "ann")
    rig.settle()
    rig.send(3, by: "bob")
    #expect(rig.turn(ann) == ["m3"])
  }

  @Test("a limit of 0 turns the throttle off immediately")
  func off() {
    let rig = rig()
    rig.handle(.throttle(RateLimit(count: 0, windowMilliseconds: 1000)))
    for id in Int64(1)...9 { rig.send(id, by: "bob") }
    #expect(rig.turn(ann).count == 9)
    #expect(rig.withheldCount == 0 && rig.deadline == nil)
  }

  @Test("updates of a withheld message are withheld too, its deletion is not")
  func withheldWithTheirMessage() {
    let rig = rig()
    for id in Int64(1)...2 { rig.send(id, by: "other", from: nil) }
    rig.settle()
    rig.update(1)
    rig.update(2)
    rig.delete(2)
    #expect(rig.turn(ann) == ["u1@3", "d2"])
  }

  @Test("a deletion frees no room: later updates of the message go to every connection")
  func forgottenMessages() {
    let rig = rig()
    for id in Int64(1)...2 { rig.send(id, by: "other") }
    rig.update(2)
    rig.delete(2)
    rig.wait(200)
    rig.update(2)
    #expect(rig.turn(ann) == ["m1", "d2", "u2@5"])
  }

  @Test("messages from before a user entered are updated for that user")
  func earlierMessages() {
    let rig = rig()
    for id in Int64(1)...2 { rig.send(id, by: "other") }
    rig.leave(bob, "bob")
    let eve = SessionAddress.sample(4)
    rig.enter(eve, "eve")
    rig.settle()
    rig.update(2)
    #expect(rig.turn(eve) == ["u2@3"])
    #expect(rig.take(ann) == [])
  }

  @Test("withheld messages are announced within a second, with their number and range")
  func announcement() {
    let rig = rig()
    for id in Int64(1)...4 { rig.send(id, by: "other") }
    #expect(rig.turn(ann) == ["m1"] && rig.take(bob) == ["m1"])
    #expect(rig.withheldCount == 6)
    let due = rig.deadline ?? .max
    #expect(due <= rig.now + 1000)
    rig.wait(due - rig.now - 1)
    #expect(rig.take(ann) == [])
    rig.wait(1)
    #expect(rig.take(ann) == ["throttled 3: 2-4"] && rig.take(bob) == ["throttled 3: 2-4"])
    rig.wait(10_000)
    #expect(rig.take(ann) == [] && rig.deadline == nil)
  }

  @Test("announcements come at most once a second")
  func announcementPace() {
    let rig = rig()
    var times: [Int64] = []
    for id in Int64(1)...60 {
      rig.send(id, by: "other")
      rig.wait(100)
      if rig.take(ann).contains(where: { $0.hasPrefix("throttled") }) { times.append(rig.now) }
    }
    #expect(times.count == 6)
    for (first, second) in zip(times, times.dropFirst()) { #expect(second - first >= 1000) }
  }

  @Test("participants who missed the same messages share the same bytes, others get their own")
  func announcementGroups() {
    let rig = rig()
    let eve = SessionAddress.sample(3)
    rig.send(1, by: "other")
    rig.send(2, by: "ann")
    rig.enter(eve, "eve")
    rig.send(3, by: "other")
    rig.send(4, by: "other")
    rig.settle()
    rig.wait(1000)
    #expect(rig.take(ann) == ["throttled 2: 3-4"])
    #expect(rig.take(bob) == ["throttled 3: 2-4"])
    #expect(rig.take(eve) == ["throttled 1: 4-4"])
  }

  @Test("a user who left is not notified, nor a user who reuses its slot")
  func announcementAfterLeaving() {
    let rig = rig()
    for id in Int64(1)...2 { rig.send(id, by: "other") }
    rig.leave(ann, "ann")
    let eve = SessionAddress.sample(3)
    rig.enter(eve, "eve")
    rig.settle()
    rig.wait(1000)
    #expect(!rig.take(eve).contains { $0.hasPrefix("throttled") })
    #expect(rig.take(ann) == [])
  }
}
