import Testing

@testable import Webhooks

@Suite("The schedule of webhook requests")
struct DeliveryScheduleTests {
  private let lobby = DeliveryPath(receiver: 0, channelURL: "lobby")

  @Test("a channel has one request in flight per URL, and the next starts where it ended")
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

  @Test("a channel waits until its accepted events are recorded, while the URL serves others")
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

  @Test("a URL has a limited number of requests in flight, and channels take turns")
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

  @Test("a raised limit starts more requests, and a lowered one applies as requests end")
  func otherConcurrency() {
    var schedule = DeliverySchedule(receivers: 1, concurrency: 1)
    for (id, url) in ["a", "b", "c"].enumerated() { schedule.didQueue(url, eventID: Int64(id + 1)) }
    #expect(schedule.next(at: 0)?.path.channelURL == "a")
    #expect(schedule.next(at: 0) == nil)
    schedule.concurrency = 2
    #expect(schedule.next(at: 0)?.path.channelURL == "b")
    schedule.concurrency = 1
    schedule.didDeliver(DeliveryPath(receiver: 0, channelURL: "a"), through: 1)
    #expect(schedule.next(at: 0) == nil)
    schedule.didDeliver(DeliveryPath(receiver: 0, channelURL: "b"), through: 2)
    #expect(schedule.next(at: 0)?.path.channelURL == "c")
  }

  @Test("events after dropped ones wait as after any failure")
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

  @Test("a failure delays its own channel at its own URL, and no other")
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

  @Test("a pause that a receiver requests applies to all channels")
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

  /// A schedule whose channels have failed `failures` times, at 0 and whenever they were due.
  private func failing(
    _ channels: [String], times failures: Int
  ) -> (DeliverySchedule, now: Int64) {
    var schedule = DeliverySchedule(receivers: 1, concurrency: 16)
    for (id, url) in channels.enumerated() { schedule.didQueue(url, eventID: Int64(id + 1)) }
    var now: Int64 = 0
    for round in 0..<failures {
      if round > 0 { now = schedule.nextAttempt ?? now }
      var turns: [Turn] = []
      while let turn = schedule.next(at: now) { turns.append(turn) }
      for turn in turns { schedule.didFail(turn.path, at: now, random: 0) }
    }
    return (schedule, now)
  }

  private func take(_ schedule: inout DeliverySchedule, _ url: String, at now: Int64) {
    schedule.didQueue(url, eventID: 1_000)
    #expect(schedule.next(at: now)?.path.channelURL == url)
    let path = DeliveryPath(receiver: 0, channelURL: url)
    schedule.didTake(path, through: 1_000)
    schedule.didDeliver(path, through: 1_000)
  }

  @Test("waiting channels are retried early once their URL accepts events, a few at a time")
  func haste() {
    let channels = (0..<10).map { "c\($0)" }
    var (schedule, now) = failing(channels, times: 2)
    #expect(schedule.next(at: now) == nil)
    take(&schedule, "other", at: now)
    #expect(schedule.nextAttempt == .min)
    var turns: [Turn] = []
    while let turn = schedule.next(at: now) { turns.append(turn) }
    #expect(turns.count == 4)
    var done = 0
    while let turn = turns.popLast() {
      schedule.didTake(turn.path, through: turn.through)
      schedule.didDeliver(turn.path, through: turn.through)
      done += 1
      while let next = schedule.next(at: now) { turns.append(next) }
      #expect(turns.count <= 4)
    }
    #expect(done == 10 && schedule.pathCount == 0)
  }

  @Test("a failure ends the early retries, and the other channels wait for their time")
  func hasteEnds() {
    var (schedule, now) = failing(["a", "b", "c"], times: 2)
    take(&schedule, "other", at: now)
    let turn = schedule.next(at: now)
    #expect(turn?.failures == 2)
    if let turn { schedule.didFail(turn.path, at: now, random: 0) }
    #expect(schedule.next(at: now) == nil)
    #expect(schedule.nextAttempt ?? 0 > now)
  }

  @Test("a channel that fails alone gets one early retry between two scheduled ones")
  func poison() {
    var (schedule, now) = failing(["bad"], times: 2)
    let bad = DeliveryPath(receiver: 0, channelURL: "bad")
    take(&schedule, "good", at: now)
    #expect(schedule.next(at: now)?.path == bad)
    schedule.didFail(bad, at: now, random: 0)
    for _ in 0..<5 {
      take(&schedule, "good", at: now)
      #expect(schedule.next(at: now) == nil)
    }
    now = schedule.nextAttempt ?? 0
    #expect(schedule.next(at: now)?.path == bad)
    schedule.didFail(bad, at: now, random: 0)
    take(&schedule, "good", at: now)
    #expect(schedule.next(at: now)?.path == bad)
  }

  @Test("a manual retry covers all waiting channels, including pauses that the URL requested")
  func retry() {
    var schedule = DeliverySchedule(receivers: 1, concurrency: 2)
    schedule.didQueue("lobby", eventID: 1)
    _ = schedule.next(at: 0)
    schedule.didFail(lobby, at: 0, asked: 30_000, random: 0)
    schedule.didRecover(receiver: 0)
    #expect(schedule.next(at: 1) == nil)
    schedule.retry()
    #expect(schedule.next(at: 1)?.path == lobby)
    schedule.didFail(lobby, at: 1, random: 0)
    #expect(schedule.next(at: 2) == nil)
  }

  @Test("events waiting when the server stopped start after those already delivered")
  func backlog() {
    var schedule = DeliverySchedule(receivers: 2, concurrency: 1)
    schedule.add(DeliveryPath(receiver: 1, channelURL: "lobby"), after: 7, through: 20)
    schedule.didQueue("lobby", eventID: 21)
    #expect(schedule.next(at: 0) == Turn(path: lobby, after: 20, through: 21, failures: 0))
    let other = DeliveryPath(receiver: 1, channelURL: "lobby")
    #expect(schedule.next(at: 0) == Turn(path: other, after: 7, through: 21, failures: 0))
  }
}
