import ParleyProtocol
import Testing

@testable import Channels

@Suite("Members of a group on a stage")
struct StageSeatingTests {
  private let ann = SessionAddress.sample(1)
  private let bob = SessionAddress.sample(2, shard: 1)
  private let eve = SessionAddress.sample(3)
  private let rig = StageRig(lastSeq: 5, group: Group())

  init() {
    rig.seek()
    rig.answerSeek([(ann, "ann"), (bob, "bob")])
    rig.settle()
  }

  private func join(_ userID: String) { rig.publish("\(userID) joins", .admission(ofUser: userID)) }

  private func depart(_ userID: String, _ reason: DepartureReason = .left) {
    rig.publish("\(userID) \(reason)", .departure(ofUser: userID, reason))
  }

  // MARK: Searches

  @Test("events and answers wait for the search of a group that is loaded, and reach all found")
  func load() {
    let rig = StageRig(lastSeq: 5, group: Group())
    rig.seek()
    rig.publish("first")
    rig.handle(.answer(rig.address(ann), .empty))
    rig.publish("second")
    rig.endTurn()
    #expect(rig.takeAll().isEmpty && !rig.isIdle)
    rig.answerSeek([(ann, "ann"), (bob, "bob")])
    #expect(rig.turn(ann) == ["seated", "first", "second", "reply"])
    #expect(rig.take(bob) == ["seated", "first", "second"])
    #expect(rig.isIdle && rig.subscribers == [ann, bob])
  }

  // MARK: Notices

  private func notify(
    _ userID: String, _ text: String, except sessions: SessionAddress...
  ) {
    rig.handle(
      .notify(MemberNotice(userID: userID, payload: Array(text.utf8), except: sessions)))
  }

  @Test("a notice reaches the other connections of its member between the events around it")
  func notices() {
    let (second, third) = (SessionAddress.sample(4, shard: 1), SessionAddress.sample(5))
    rig.seat(second, "ann")
    rig.seat(third, "ann")
    rig.settle()
    rig.publish("before")
    notify("ann", "notice", except: ann)
    rig.publish("after")
    #expect(rig.turn(ann) == ["before", "after"] && rig.take(bob) == ["before", "after"])
    for session in [second, third] { #expect(rig.take(session) == ["before", "notice", "after"]) }
    notify("ann", "alone")
    #expect(rig.turn(ann) == ["alone"] && rig.take(bob) == [])
    for session in [second, third] { #expect(rig.take(session) == ["alone"]) }
    notify("bob", "nobody", except: bob)
    notify("eve", "stranger")
    rig.endTurn()
    #expect(rig.takeAll().isEmpty && rig.isIdle)
  }

  @Test("a notice for all members reaches all but some, between the events around it")
  func membersNotices() {
    let second = SessionAddress.sample(4, shard: 1)
    rig.seat(second, "ann")
    rig.settle()
    func notify(_ text: String, except userIDs: [String]) {
      rig.handle(
        .notifyMembers(MembersNotice(payload: Array(text.utf8), exceptIDs: userIDs)))
    }
    rig.publish("before")
    notify("notice", except: ["ann", "stranger"])
    rig.publish("after")
    #expect(rig.turn(bob) == ["before", "notice", "after"])
    for session in [ann, second] { #expect(rig.take(session) == ["before", "after"]) }
    join("eve")
    notify("later", except: [])
    #expect(rig.turn(ann) == ["eve joins"])
    rig.answerSeek([(eve, "eve")])
    #expect(rig.turn(eve) == ["seated", "eve joins", "later"])
    #expect(rig.take(ann) == ["later"])
  }

  @Test("an answer in order comes between the events around it, also after a search")
  func answersInOrder() {
    rig.publish("before")
    rig.handle(.answerInOrder(rig.address(ann), .empty))
    rig.publish("after")
    rig.handle(.answer(rig.address(ann), .empty))
    #expect(rig.turn(ann) == ["before", "reply", "after", "reply"])
    #expect(rig.take(bob) == ["before", "after"])
    join("eve")
    rig.handle(.answerInOrder(rig.address(ann), .empty))
    rig.publish("later")
    #expect(rig.turn(ann) == ["eve joins"])
    rig.answerSeek()
    #expect(rig.turn(ann) == ["reply", "later"])
  }

  @Test("a notice waits for a search with the events around it")
  func noticesWait() {
    join("eve")
    notify("ann", "first")
    notify("eve", "second")
    rig.publish("after")
    #expect(rig.turn(ann) == ["eve joins"])
    rig.answerSeek([(eve, "eve")])
    #expect(rig.turn(eve) == ["seated", "eve joins", "second", "after"])
    #expect(rig.take(ann) == ["first", "after"])
    notify("eve", "last")
    depart("eve")
    notify("eve", "late")
    #expect(rig.turn(eve) == ["last", "eve left", "put out", "lost: left"])
  }

  @Test("a search that finds no connection releases answers all the same")
  func emptySearch() {
    let rig = StageRig(group: Group())
    rig.seek()
    rig.publish("first")
    rig.handle(.answer(rig.address(ann), .empty))
    rig.answerSeek()
    #expect(rig.turn(ann) == ["reply"] && rig.isIdle)
  }

  @Test("a user who joins is searched, and its connections hear the event and what follows")
  func joins() {
    rig.publish("before")
    join("eve")
    #expect(rig.seeks == ["eve"])
    rig.publish("after")
    #expect(rig.turn(ann) == ["before", "eve joins"])
    let second = SessionAddress.sample(4, shard: 1)
    rig.answerSeek([(eve, "eve"), (second, "eve")])
    #expect(rig.turn(eve) == ["seated", "eve joins", "after"])
    #expect(rig.take(second) == ["seated", "eve joins", "after"])
    #expect(rig.take(ann) == ["after"] && rig.take(bob) == ["before", "eve joins", "after"])
  }

  @Test("an answer that follows an event waits with it for the search")
  func answersWait() {
    join("eve")
    rig.handle(.answer(rig.address(eve), .empty))
    #expect(rig.turn(eve) == [])
    rig.answerSeek([(eve, "eve")])
    #expect(rig.turn(eve) == ["seated", "eve joins", "reply"])
  }

  @Test("users who join one after the other are searched one after the other")
  func joinsTogether() {
    join("eve")
    join("dan")
    rig.publish("last")
    #expect(rig.seeks == ["eve"])
    rig.answerSeek([(eve, "eve")])
    #expect(rig.seeks == ["dan"])
    let dan = SessionAddress.sample(4)
    rig.publish("later")
    rig.answerSeek([(dan, "dan")])
    #expect(rig.turn(eve) == ["seated", "eve joins", "dan joins", "last", "later"])
    #expect(rig.take(dan) == ["seated", "dan joins", "last", "later"])
    #expect(rig.take(ann) == ["eve joins", "dan joins", "last", "later"])
  }

  @Test("a user without connections delays nothing longer than its search")
  func joinsAbsent() {
    join("eve")
    rig.publish("after")
    rig.answerSeek()
    #expect(rig.turn(ann) == ["eve joins", "after"] && rig.seatedCount == 2)
  }

  @Test("searches that the host has begun meanwhile must all end")
  func nestedSearches() {
    join("eve")
    rig.seek()
    rig.publish("after")
    rig.answerSeek([(eve, "eve")])
    #expect(rig.turn(eve) == ["seated", "eve joins"] && !rig.isIdle)
    rig.answerSeek([(ann, "ann"), (eve, "eve")])
    #expect(rig.turn(eve) == ["after"] && rig.take(ann) == ["eve joins", "after"])
    #expect(rig.isIdle)
  }

  // MARK: Connections

  @Test("a session that opens is added between two events, and gets nothing older")
  func opens() {
    rig.publish("before")
    rig.seat(eve, "eve")
    rig.publish("after")
    #expect(rig.turn(eve) == ["seated", "after"] && rig.take(ann) == ["before", "after"])
    #expect(rig.seatedCount == 3)
  }

  @Test("a connection that is added twice is subscribed once")
  func twice() {
    rig.seat(ann, "ann")
    rig.seek()
    rig.answerSeek([(ann, "ann"), (bob, "bob"), (bob, "bob")])
    rig.publish("event")
    #expect(rig.turn(ann) == ["event"] && rig.take(bob) == ["event"])
  }

  @Test("a session that opens while its user is searched hears the event about it, once")
  func opensDuringSearch() {
    join("eve")
    rig.seat(eve, "eve")
    rig.answerSeek([(eve, "eve")])
    rig.publish("after")
    #expect(rig.turn(eve) == ["seated", "eve joins", "after"])
  }

  @Test("a session that opens during a search gets none of the events from before")
  func otherOpensDuringSearch() {
    join("eve")
    rig.publish("before")
    let second = SessionAddress.sample(9)
    rig.seat(second, "ann")
    rig.publish("after")
    #expect(rig.turn(second) == [])
    rig.answerSeek()
    #expect(rig.turn(second) == ["seated", "after"])
    #expect(rig.take(ann) == ["eve joins", "before", "after"])
  }

  @Test("who joins during a search gets none of the events from before, on a new session either")
  func joinsDuringSearch() {
    join("eve")
    rig.publish("before")
    join("dan")
    let dan = SessionAddress.sample(9)
    rig.seat(dan, "dan")
    rig.answerSeek()
    rig.answerSeek([(dan, "dan")])
    rig.publish("after")
    #expect(rig.turn(dan) == ["seated", "dan joins", "after"])
  }

  @Test("a closed connection hears nothing more; its user stays a member")
  func closes() {
    rig.leave(ann, "ann")
    rig.publish("event")
    #expect(rig.turn(ann) == [] && rig.take(bob) == ["event"] && rig.seatedCount == 1)
    rig.seat(ann, "ann")
    rig.publish("event")
    #expect(rig.turn(ann) == ["seated", "event"])
  }

  @Test("the author of a message gets it only as the answer, on its connection")
  func author() {
    let second = SessionAddress.sample(4)
    rig.seat(second, "ann")
    rig.send(1, by: "ann", from: ann)
    #expect(rig.turn(ann) == [] && rig.take(second) == ["seated", "m1"])
    #expect(rig.take(bob) == ["m1"])
  }

  // MARK: Departures

  @Test(
    "who leaves hears the event, then that the group is lost, and nothing more",
    arguments: [
      DepartureReason.left, .removed, .deletedUser,
    ])
  func departs(reason: DepartureReason) {
    let second = SessionAddress.sample(4, shard: 1)
    rig.seat(second, "ann")
    rig.settle()
    rig.publish("before")
    depart("ann", reason)
    rig.publish("after")
    for session in [ann, second] {
      #expect(
        rig.turn(session) == ["before", "ann \(reason)", "put out", "lost: \(reason.rawValue)"])
    }
    #expect(rig.take(bob) == ["before", "ann \(reason)", "after"])
    #expect(rig.subscribers == [bob] && rig.seatedCount == 1)
  }

  @Test("a banned user hears the ban and that the group is lost, not the departure that follows")
  func banned() {
    rig.handle(
      .apply(
        ChannelEvent(
          payload: Array("ban".utf8), subject: .expulsion(ofUser: "ann"), seq: 6, timestamp: 0,
          author: nil)))
    rig.handle(
      .apply(
        ChannelEvent(
          payload: Array("left".utf8), subject: .departure(ofUser: "ann", .banned), seq: 7,
          timestamp: 0, author: nil)))
    #expect(rig.turn(ann) == ["ban", "put out", "lost: banned"])
    #expect(rig.take(bob) == ["ban", "left"])
  }

  @Test("the departure of a member without connections is an event like any other")
  func departsAbsent() {
    depart("eve")
    #expect(rig.turn(ann) == ["eve left"] && rig.take(bob) == ["eve left"])
    #expect(rig.subscribers == [ann, bob])
  }

  @Test("who joins and leaves at once hears both, in order")
  func joinsAndLeaves() {
    join("eve")
    depart("eve")
    rig.publish("after")
    rig.answerSeek([(eve, "eve")])
    #expect(
      rig.turn(eve) == ["seated", "eve joins", "eve left", "put out", "lost: left"])
    #expect(rig.take(ann) == ["eve joins", "eve left", "after"])
  }

  @Test("the answer to a call that ends the membership comes after the loss")
  func answerAfterLoss() {
    depart("ann")
    rig.handle(.answer(rig.address(ann), .empty))
    #expect(rig.turn(ann) == ["ann left", "put out", "lost: left", "reply"])
  }

  @Test("the end of a group is heard by all, and each connection loses it")
  func end() {
    rig.publish("before")
    rig.publish("deleted", .end)
    for session in [ann, bob] {
      #expect(rig.turn(session) == ["before", "deleted", "put out", "lost: deleted"])
    }
    #expect(rig.subscribers.isEmpty && rig.seatedCount == 0 && rig.isIdle)
  }

  @Test("an open channel that ends is lost to no member")
  func openChannel() {
    let rig = StageRig()
    rig.enter(ann, "ann")
    rig.wait(2_000)
    rig.settle()
    rig.publish("deleted", .end)
    #expect(rig.turn(ann) == ["deleted", "put out"])
  }

  // MARK: Idleness

  @Test("a group is idle with members on its stage, unless something waits")
  func idle() {
    #expect(rig.isIdle && rig.seatedCount == 2)
    rig.publish("event")
    #expect(!rig.isIdle)
    rig.endTurn()
    #expect(rig.isIdle)
    rig.seek()
    #expect(!rig.isIdle)
    rig.answerSeek()
    #expect(rig.isIdle)
    let open = StageRig()
    open.enter(ann, "ann")
    open.endTurn()
    #expect(!open.isIdle)
  }

  @Test("a group that is given up keeps no connection, after its last events")
  func disperses() {
    rig.publish("last")
    rig.handle(.disperse)
    for session in [ann, bob] { #expect(rig.take(session) == ["last", "put out"]) }
    #expect(rig.subscribers.isEmpty && rig.seatedCount == 0 && rig.isIdle)
    rig.publish("more")
    rig.endTurn()
    #expect(rig.takeAll().isEmpty)
    rig.seek()
    rig.answerSeek([(ann, "ann")])
    rig.publish("again")
    #expect(rig.turn(ann) == ["seated", "again"])
  }
}
