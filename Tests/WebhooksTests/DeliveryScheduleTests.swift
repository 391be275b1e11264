import Testing

@testable import Webhooks

@Suite("Whose turn it is")
struct DeliveryScheduleTests {
  private let lobby = DeliveryPath(receiver: 0, channelURL: "lobby")

  @Test("a channel has one request under way at a URL, and the next takes up where it ended")
  func oneAtATime() {
    var schedule = DeliverySchedule(receivers: 1, concurrency: 4)
    schedule.didQueue("lobby", eventID: 5)
    let first = schedule.next(at: 0)
    #expect(first == Turn(path: lobby, after: 4, through: 5, failures: 0))
    schedule.didQueue("lobby", eventID: 9)
    #expect(schedule.next(at: 0) == nil)
    schedule.didDeliver(lobby, through: 5)
    #expect(schedule.next(at: 0) == Turn(path: lobby, after: 5, through: 9, failures: 0))
    schedule.didDeliver(lobby, through: 9)
    #expect(schedule.next(at: 0) == nil)
    #expect(schedule.pathCount == 0)
  }

  @Test("nothing follows events that were taken until that is noted, but the URL serves others")
  func notes() {
    var schedule = DeliverySchedule(receivers: 1, concurrency: 1)
    schedule.add(lobby, after: 0, through: 9)
    schedule.didQueue("other", eventID: 10)
    #expect(schedule.next(at: 0)?.path == lobby)
    schedule.didTake(lobby, through: 5)
    #expect(schedule.next(at: 0)?.path.channelURL == "other")
    schedule.didQueue("lobby", eventID: 11)
    schedule.didTake(DeliveryPath(receiver: 0, channelURL: "other"), through: 10)
    #expect(schedule.next(at: 0) == nil && schedule.nextAttempt == nil)
    schedule.didDeliver(lobby, through: 5)
    #expect(schedule.next(at: 0) == Turn(path: lobby, after: 5, through: 11, failures: 0))
    schedule.didDeliver(DeliveryPath(receiver: 0, channelURL: "other"), through: 10)
    schedule.withdraw { $0 == "lobby" }
    schedule.didTake(lobby, through: 11)
    schedule.didDeliver(lobby, through: 11)
    #expect(schedule.pathCount == 0)
  }

  @Test("a URL has no more requests under way than it may, and channels take turns")
  func concurrency() {
    var schedule = DeliverySchedule(receivers: 1, concurrency: 2)
    for (id, url) in ["a", "b", "c"].enumerated() { schedule.didQueue(url, eventID: Int64(id + 1)) }
    #expect(schedule.next(at: 0)?.path.channelURL == "a")
    #expect(schedule.next(at: 0)?.path.channelURL == "b")
    #expect(schedule.next(at: 0) == nil)
    #expect(schedule.nextAttempt == nil)
    schedule.didQueue("a", eventID: 4)
    schedule.didDeliver(DeliveryPath(receiver: 0, channelURL: "a"), through: 1)
    #expect(schedule.next(at: 0)?.path.channelURL == "c")
    schedule.didDeliver(DeliveryPath(receiver: 0, channelURL: "b"), through: 2)
    #expect(schedule.next(at: 0)?.path.channelURL == "a")
  }

  @Test("what comes behind events that are given up waits as after any failure")
  func givingUp() {
    var schedule = DeliverySchedule(receivers: 1, concurrency: 4)
    schedule.add(lobby, after: 0, through: 300)
    for failures in 0..<3 {
      let now = Int64(failures) * 1_000_000
      #expect(schedule.next(at: now)?.failures == failures)
      schedule.didGiveUp(lobby, through: Int64(failures + 1) * 100, at: now, random: 0)
      #expect(schedule.next(at: now) == nil)
    }
    #expect(schedule.pathCount == 0)
    schedule.didQueue("lobby", eventID: 301)
    #expect(schedule.next(at: 3_000_000)?.failures == 0)
    schedule.didQueue("lobby", eventID: 302)
    schedule.didGiveUp(lobby, through: 301, at: 3_000_000, asked: 60_000, random: 0)
    schedule.didQueue("other", eventID: 303)
    #expect(schedule.next(at: 3_059_999) == nil)
    #expect(schedule.next(at: 3_060_000) != nil)
  }

  @Test("a failure holds up its own channel at its own URL, and no other")
  func failure() {
    var schedule = DeliverySchedule(receivers: 2, concurrency: 1)
    schedule.didQueue("lobby", eventID: 1)
    _ = schedule.next(at: 0)
    _ = schedule.next(at: 0)
    schedule.didFail(lobby, at: 0, random: 0)
    schedule.didDeliver(DeliveryPath(receiver: 1, channelURL: "lobby"), through: 1)
    schedule.didQueue("den", eventID: 2)
    #expect(schedule.next(at: 0)?.path == DeliveryPath(receiver: 0, channelURL: "den"))
    #expect(schedule.next(at: 0)?.path == DeliveryPath(receiver: 1, channelURL: "den"))
    schedule.didDeliver(DeliveryPath(receiver: 0, channelURL: "den"), through: 2)
    #expect(schedule.next(at: 999) == nil)
    #expect(schedule.nextAttempt == 1_000)
    #expect(schedule.next(at: 1_000) == Turn(path: lobby, after: 0, through: 1, failures: 1))
    schedule.didFail(lobby, at: 1_000, random: 0)
    #expect(schedule.nextAttempt(receiver: 0) == 3_000)
  }

  @Test("who asks to be left alone is left alone by every channel")
  func retryAfter() {
    var schedule = DeliverySchedule(receivers: 1, concurrency: 2)
    schedule.didQueue("lobby", eventID: 1)
    schedule.didQueue("den", eventID: 2)
    _ = schedule.next(at: 0)
    schedule.didFail(lobby, at: 0, asked: 30_000, random: 0)
    #expect(schedule.next(at: 29_999) == nil)
    #expect(schedule.nextAttempt == 30_000)
    #expect(schedule.next(at: 30_000) != nil)
    #expect(schedule.next(at: 30_000) != nil)
  }

  @Test("what waited when the server stopped begins behind what was taken")
  func backlog() {
    var schedule = DeliverySchedule(receivers: 2, concurrency: 1)
    schedule.add(DeliveryPath(receiver: 1, channelURL: "lobby"), after: 7, through: 20)
    schedule.didQueue("lobby", eventID: 21)
    #expect(schedule.next(at: 0) == Turn(path: lobby, after: 20, through: 21, failures: 0))
    let other = DeliveryPath(receiver: 1, channelURL: "lobby")
    #expect(schedule.next(at: 0) == Turn(path: other, after: 7, through: 21, failures: 0))
  }
}
