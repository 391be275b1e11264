import ParleyProtocol
import Testing

@testable import Channels

@Suite("Updates on a stage")
struct StageUpdatesTests {
  private let ann = SessionAddress.sample(1)
  private let bob = SessionAddress.sample(2)
  private let rig = StageRig()

  init() {
    rig.enter(ann, "ann")
    rig.enter(bob, "bob")
    rig.settle()
  }

  @Test("updates of one message are sent at most five times a second, with the newest state")
  func pace() {
    for _ in 1...3 { rig.update(7) }
    #expect(rig.turn(ann) == ["u7@1"])
    rig.wait(199)
    #expect(rig.take(ann) == [])
    rig.wait(1)
    #expect(rig.take(ann) == ["u7@3"])
    rig.wait(200)
    rig.update(7)
    #expect(rig.turn(ann) == ["u7@4"])
  }

  @Test("updates of one message do not delay those of another")
  func separateMessages() {
    for id in Int64(1)...3 { rig.update(id) }
    #expect(rig.turn(ann) == ["u1@1", "u2@2", "u3@3"])
  }

  @Test("the author's connection gets only the response for an update, delayed or not")
  func author() {
    rig.update(7, author: ann)
    #expect(rig.turn(ann) == [] && rig.take(bob) == ["u7@1"])
    rig.update(7, author: ann)
    rig.wait(200)
    #expect(rig.take(ann) == [] && rig.take(bob) == ["u7@2"])
  }

  @Test("a deleted message is not updated afterwards")
  func deletion() {
    for _ in 1...2 { rig.update(7) }
    rig.delete(7)
    rig.wait(1000)
    #expect(rig.turn(ann) == ["u7@1", "d7"])
  }

  @Test("no event is sent before an update that is older by more than the reach")
  func reach() {
    for _ in 1...2 { rig.update(7) }
    rig.settle()
    let late = ChannelEvent(
      payload: Array("late".utf8), subject: .announcement, seq: 3,
      timestamp: rig.unix + UpdatePacer<Int>.reach, author: nil)
    rig.handle(.apply(late))
    #expect(rig.turn(ann) == ["u7@2", "late"])
    rig.wait(1000)
    #expect(rig.take(ann) == [])
  }
}
