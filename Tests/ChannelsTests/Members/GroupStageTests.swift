import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The stage of a group on another server than its home")
struct GroupStageTests {
  private func start(_ seq: Int64) -> StageStart {
    StageStart(
      channel: Channel(url: "team", createdAt: 0, group: Group()), channelID: 1, epoch: "epoch",
      seq: seq, throttleLimit: RateLimit(count: 0, windowMilliseconds: 0), announced: nil)
  }

  private func event(_ subject: ChannelEvent.Subject, seq: Int64) -> StageNews {
    .event(ChannelEvent(payload: [], subject: subject, seq: seq, timestamp: 0, author: nil))
  }

  @Test("admits users of a large group that has had no numbered event, and counts admissions")
  func quietAdmissions() {
    var stage = AttachedStage(groupURL: "team", server: 1)
    var actions = StageActions()
    let now = Moment(unix: 0, monotonic: 0)
    stage.handle(AttachmentInput.await(7, home: 3), at: now, into: &actions)
    #expect(stage.awaitedHome == 3 && stage.vacancy == nil)
    let news: [StageNews] = [
      .attached(start(0)), event(.quietAdmission(ofUser: "ann"), seq: 0),
    ]
    stage.handle(AttachmentInput.news(7, news), at: now, into: &actions)
    let sought = actions.list.compactMap { action in
      if case .seek(let userID) = action { userID } else { nil }
    }
    #expect(sought == ["ann"] && stage.awaitedHome == nil)
    stage.handle(.seats([]), at: now, into: &actions)
    guard case .vacant(admissions: 1)? = stage.vacancy else { return #expect(Bool(false)) }
    stage.handle(AttachmentInput.news(7, [.dispersed]), at: now, into: &actions)
    #expect(stage.hasEnded && stage.isIdle)
  }

  @Test("puts out users who are no members, although no event says so")
  func strangers() {
    var stage = AttachedStage(groupURL: "team", server: 1)
    var actions = StageActions()
    let now = Moment(unix: 0, monotonic: 0)
    let session = SessionAddress(server: 1, shard: 0, connection: 5)
    stage.handle(AttachmentInput.await(7, home: 3), at: now, into: &actions)
    stage.handle(.seat(Seat(userID: "ann", session: session)), at: now, into: &actions)
    stage.handle(
      AttachmentInput.news(7, [.attached(start(4)), .strangers(["ann", "ben"])]), at: now,
      into: &actions)
    let removed = actions.list.compactMap { action in
      if case .unsubscribe(let address) = action { address } else { nil }
    }
    #expect(removed == [session] && !stage.contains("ann"))
  }

  private func seat(_ userID: String) -> Seat {
    Seat(userID: userID, session: SessionAddress(server: 1, shard: 0, connection: 5))
  }

  private func renewed(_ actions: StageActions) -> [Seat] {
    actions.list.compactMap { action in
      if case .renew(let seat) = action { seat } else { nil }
    }
  }

  @Test("makes connections ready once more that the home has added to an earlier attachment")
  func lostSeats() {
    var stage = AttachedStage(groupURL: "team", server: 1)
    var actions = StageActions()
    let now = Moment(unix: 0, monotonic: 0)
    stage.handle(AttachmentInput.attach(7), at: now, into: &actions)
    stage.handle(AttachmentInput.attach(8), at: now, into: &actions)
    let late: [StageNews] = [.attached(start(4)), .seat(seat("ann"))]
    stage.handle(AttachmentInput.news(7, late), at: now, into: &actions)
    let unsent: [StageNews] = [.seat(seat("ben")), .attached(start(4)), .seat(seat("cat"))]
    stage.handle(AttachmentInput.news(8, unsent), at: now, into: &actions)
    #expect(renewed(actions) == [seat("ann"), seat("ben")])
    #expect(stage.contains("cat") && !stage.contains("ann") && !stage.contains("ben"))
    guard case .vacant(admissions: 1)? = stage.vacancy else { return #expect(Bool(false)) }
  }

  @Test("makes connections ready once more that have received changes from the log")
  func eventsFromTheLog() {
    var stage = AttachedStage(groupURL: "team", server: 1)
    var actions = StageActions()
    let now = Moment(unix: 0, monotonic: 0)
    stage.handle(AttachmentInput.await(7, home: 3), at: now, into: &actions)
    let news: [StageNews] = [.attached(start(4)), .seat(seat("ann"))]
    stage.handle(AttachmentInput.news(7, news), at: now, into: &actions)
    let deletion = DurableEvent.deleted(Event.Deletion(messageID: 1), seq: 5, timestamp: 0)
    stage.handle(
      AttachmentInput.polled([deletion], epoch: "epoch", awaited: []), at: now, into: &actions)
    #expect(renewed(actions) == [])
    let message = Message(id: 2, channelURL: "team", user: nil, text: "", createdAt: 0)
    let change = DurableEvent.updated(message, seq: 6, timestamp: 0)
    stage.handle(
      AttachmentInput.polled([change], epoch: "epoch", awaited: []), at: now, into: &actions)
    #expect(renewed(actions) == [seat("ann")])
  }
}
