import ParleyProtocol
import Testing

@testable import Channels

@Suite("Members of a large group on a stage")
struct QuietSeatingTests {
  private let ann = SessionAddress.sample(1)
  private let bob = SessionAddress.sample(2, shard: 1)
  private let eve = SessionAddress.sample(3)
  private let rig = StageRig(lastSeq: 5, group: Group(isSuper: true))

  init() {
    rig.seek()
    rig.answerSeek([(ann, "ann"), (bob, "bob")])
    rig.settle()
  }

  private func count(_ all: Int) {
    rig.handle(.memberCount(Event.MemberCount(all: all, joined: all)))
  }

  @Test("only the user who joins hears of it, and then of everything after it")
  func joining() {
    rig.publish("before")
    rig.publishUnnumbered("eve joins", .quietAdmission(ofUser: "eve"))
    rig.publish("after")
    #expect(rig.turn(ann) == ["before"])
    rig.answerSeek([(eve, "eve")])
    #expect(rig.turn(eve) == ["seated", "eve joins", "after"])
    #expect(rig.take(ann) == ["after"] && rig.take(bob) == ["before", "after"])
  }

  @Test("connections that were found before their user's joining hear of it too")
  func known() {
    rig.publishUnnumbered("bob joins", .quietAdmission(ofUser: "bob"))
    rig.answerSeek([(bob, "bob")])
    #expect(rig.turn(bob) == ["bob joins"] && rig.take(ann) == [])
  }

  @Test("only the user who leaves hears of it, and then of nothing")
  func leaving() {
    rig.publishUnnumbered("ann leaves", .quietDeparture(ofUser: "ann", .left))
    rig.publish("after")
    rig.endTurn()
    #expect(rig.take(ann) == ["ann leaves", "put out", "lost: left"])
    #expect(rig.take(bob) == ["after"])
    rig.publishUnnumbered("eve leaves", .quietDeparture(ofUser: "eve", .left))
    rig.endTurn()
    #expect(rig.takeAll().isEmpty)
  }

  @Test("the numbers of members reach all at most once a second, after the events before them")
  func counts() {
    rig.publish("before")
    count(101)
    rig.publish("next")
    rig.wait(0)
    #expect(rig.take(ann) == ["before", "next", "members 101"])
    for number in 102...140 { count(number) }
    rig.wait(999)
    #expect(rig.take(ann) == [])
    rig.wait(1)
    #expect(rig.take(ann) == ["members 140"] && rig.take(bob).last == "members 140")
    rig.wait(5_000)
    #expect(rig.take(ann) == [])
  }

  @Test("numbers that wait are dropped when an event about members has newer ones")
  func superseded() {
    count(101)
    rig.wait(0)
    _ = rig.takeAll()
    count(100)
    rig.publish("dan declines", .invitation)
    rig.wait(3_000)
    #expect(rig.take(ann) == ["dan declines"])
  }

  @Test("numbers wait for a search like events")
  func search() {
    rig.publishUnnumbered("eve joins", .quietAdmission(ofUser: "eve"))
    count(102)
    rig.wait(2_000)
    #expect(rig.takeAll().isEmpty)
    rig.answerSeek([(eve, "eve")])
    rig.wait(0)
    #expect(rig.take(ann).count == 1 && rig.take(eve).count == 3)
  }
}
