import ParleyProtocol
import Testing

@testable import Channels

@Suite("Presence in a channel")
struct ChannelPresenceTests {
  private let ann = SessionAddress.sample(1)
  private let bob = SessionAddress.sample(2)
  private let rig = StageRig()

  init() {
    rig.enter(ann, "ann")
    rig.settle()
  }

  @Test("only the entry of a user's first connection and the exit of its last are published")
  func users() {
    let second = SessionAddress.sample(3)
    rig.enter(bob, "bob")
    rig.enter(second, "bob")
    #expect(rig.turn(ann) == ["+bob 2"])
    #expect(rig.present == ["ann", "bob"])
    rig.wait(2000)
    rig.leave(bob, "bob")
    #expect(rig.turn(ann) == [])
    rig.leave(second, "bob")
    #expect(rig.turn(ann) == ["-bob 1"])
    #expect(rig.present == ["ann"])
  }

  @Test("a connection is not notified of its own entry; neither are the user's other connections")
  func ownEntering() {
    rig.enter(bob, "bob")
    #expect(rig.turn(bob) == ["in 2@0"])
    let second = SessionAddress.sample(3)
    rig.enter(second, "bob")
    #expect(rig.turn(bob) == [] && rig.take(second) == ["in 2@0"])
  }

  @Test("entries and exits of a user are published at most once a second")
  func pace() {
    rig.enter(bob, "bob")
    for _ in 1...5 {
      rig.wait(100)
      rig.leave(bob, "bob")
      rig.enter(bob, "bob")
    }
    rig.leave(bob, "bob")
    #expect(rig.turn(ann) == ["+bob 2"])
    rig.wait(499)
    #expect(rig.take(ann) == [])
    rig.wait(1)
    #expect(rig.take(ann) == ["-bob 1"])
  }

  @Test("a change reverted within the second is not published")
  func takenBack() {
    rig.enter(bob, "bob")
    rig.leave(bob, "bob")
    rig.enter(bob, "bob")
    rig.settle()
    rig.wait(5000)
    #expect(rig.take(ann) == [])
  }

  @Test("with more than 100 participants only the count is published, at most once a second")
  func largeChannel() {
    for number in 2...100 { rig.enter(.sample(number), "user-\(number)") }
    rig.wait(2000)
    #expect(rig.turn(ann).last == "+user-100 100")
    for number in 101...105 { rig.enter(.sample(number), "user-\(number)") }
    rig.wait(0)
    #expect(rig.turn(ann) == ["=105"])
    rig.enter(.sample(106), "user-106")
    rig.wait(999)
    #expect(rig.turn(ann) == [])
    rig.wait(1)
    #expect(rig.take(ann) == ["=106"])
    rig.enter(.sample(107), "user-107")
    rig.leave(.sample(107), "user-107")
    rig.wait(5000)
    #expect(rig.take(ann) == [])
  }

  @Test("a channel that shrinks publishes individual users again")
  func shrinking() {
    for number in 2...101 { rig.enter(.sample(number), "user-\(number)") }
    rig.wait(3000)
    rig.settle()
    rig.leave(.sample(101), "user-101")
    #expect(rig.turn(ann) == ["-user-101 100"])
  }

  @Test("the participant list shows a user's new profile")
  func profile() {
    rig.handle(.profile(User(id: "ann", nickname: "Annie")))
    rig.handle(.profile(User(id: "nobody", nickname: "None")))
    let page = rig.participants(after: 0, limit: 10)
    #expect(page.map(\.user.nickname) == ["Annie"])
  }
}
