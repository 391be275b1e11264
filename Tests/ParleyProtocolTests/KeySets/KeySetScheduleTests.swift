import ParleyProtocol
import Testing

@Suite("The schedule of key sets")
struct KeySetScheduleTests {
  private static let minute: Int64 = 60_000
  private static let day: Int64 = 86_400_000

  private func begun(staleTime: Int64 = day) -> KeySetSchedule {
    KeySetSchedule(staleTime: staleTime, at: 0)
  }

  private func fetched(maxAge: Int64?, staleTime: Int64 = day) -> KeySetSchedule {
    var schedule = begun(staleTime: staleTime)
    #expect(start(&schedule, at: 0))
    schedule.succeed(at: 0, maxAge: maxAge)
    return schedule
  }

  @Test("the first fetch is due at once, and only one is under way")
  func first() {
    var schedule = begun()
    #expect(schedule.wakeUp == 0)
    #expect(!schedule.hasKeys(at: 0))
    #expect(schedule.age(at: 5) == nil)
    #expect(start(&schedule, at: 0))
    #expect(!start(&schedule, at: 100_000))
    #expect(schedule.wakeUp == nil)
    #expect(schedule.miss(at: 3) == .wait)
  }

  @Test(
    "the next fetch is due after max-age, from a minute to a day, an hour without one",
    arguments: [
      (nil, 3_600), (0, 60), (-5, 60), (59, 60), (60, 60), (600, 600), (86_400, 86_400),
      (86_401, 86_400), (.max, 86_400),
    ] as [(Int64?, Int64)])
  func lifetime(maxAge: Int64?, seconds: Int64) {
    var schedule = fetched(maxAge: maxAge)
    #expect(schedule.wakeUp == seconds * 1_000)
    #expect(!start(&schedule, at: seconds * 1_000 - 1))
    #expect(start(&schedule, at: seconds * 1_000))
  }

  @Test("an unknown key starts one fetch in ten seconds, and those that come meanwhile wait")
  func misses() {
    var schedule = fetched(maxAge: 3_600)
    #expect(schedule.miss(at: 9_999) == .refuse(1))
    #expect(schedule.miss(at: 4_000) == .refuse(6_000))
    #expect(schedule.miss(at: 10_000) == .fetch)
    #expect(schedule.miss(at: 10_000) == .wait)
    #expect(schedule.miss(at: 14_999) == .wait)
    schedule.succeed(at: 15_000, maxAge: nil)
    #expect(schedule.miss(at: 15_000) == .refuse(5_000))
    #expect(schedule.miss(at: 20_000) == .fetch)
  }

  @Test("a flood of unknown keys starts at most one fetch in ten seconds")
  func flood() {
    var schedule = fetched(maxAge: 3_600)
    var starts: [Int64] = []
    for now in stride(from: Int64(1), through: 60_000, by: 7) {
      if schedule.miss(at: now) == .fetch { starts.append(now) }
      if schedule.isFetching, now % 3 == 0 { schedule.fail(at: now, random: 9) }
    }
    #expect(starts.count == 5)
    #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 >= 10_000 })
  }

  @Test("failures are retried ever more rarely, but never within ten seconds")
  func backoff() {
    var schedule = fetched(maxAge: 60)
    var now: Int64 = 60_000
    var pauses: [Int64] = []
    for _ in 0..<10 {
      #expect(start(&schedule, at: now))
      schedule.fail(at: now + 20, random: 0)
      let next = schedule.wakeUp ?? 0
      pauses.append(next - now)
      now = next
    }
    #expect(pauses.allSatisfy { $0 >= 10_000 })
    #expect(pauses.last == 150_000)
    #expect(pauses == pauses.sorted())
  }

  @Test("without keys the attempts do not become rare")
  func withoutKeys() {
    var schedule = begun()
    var now: Int64 = 0
    for _ in 0..<10 {
      #expect(start(&schedule, at: now))
      schedule.fail(at: now, random: .max)
      let next = schedule.wakeUp ?? 0
      #expect((10_000...20_000).contains(next - now))
      now = next
    }
    #expect(schedule.retryAfter(at: now) >= 1_000)
  }

  @Test("keys are used for the stale time after they were due, while fetches fail")
  func stale() {
    var schedule = fetched(maxAge: 60, staleTime: 100_000)
    #expect(start(&schedule, at: 60_000))
    schedule.fail(at: 60_001, random: 0)
    #expect(schedule.hasKeys(at: 159_999))
    #expect(!schedule.hasKeys(at: 160_000))
    #expect(schedule.overdue(at: 160_000) == 100_000)
    #expect(schedule.miss(at: 160_000) == .fetch)
    schedule.succeed(at: 160_100, maxAge: 60)
    #expect(schedule.hasKeys(at: 160_100))
    #expect(schedule.overdue(at: 160_100) == 0)
    #expect(schedule.age(at: 161_100) == 1_000)
  }

  @Test("without a stale time, keys are used until the first fetch has failed")
  func noStaleTime() {
    var schedule = fetched(maxAge: 60, staleTime: 0)
    #expect(start(&schedule, at: 70_000))
    #expect(schedule.hasKeys(at: 74_000))
    schedule.fail(at: 75_000, random: 0)
    #expect(!schedule.hasKeys(at: 75_000))
  }

  @Test("a copy serves until its stale time is over, and a fetch stays due")
  func restored() {
    var schedule = KeySetSchedule(staleTime: 10_000, at: 1_000_000)
    #expect(restore(&schedule, fetchedAt: 931_000, lifetime: 60, at: 1_000_000))
    #expect(schedule.hasKeys(at: 1_000_000))
    #expect(schedule.wakeUp == 1_000_000)
    #expect(schedule.age(at: 1_000_000) == 69_000)
    var old = KeySetSchedule(staleTime: 10_000, at: 1_000_000)
    #expect(!restore(&old, fetchedAt: 930_000, lifetime: 60, at: 1_000_000))
    #expect(!old.hasKeys(at: 1_000_000))
    // The clock was set back: the copy is not from the future.
    var future = KeySetSchedule(staleTime: 0, at: 1_000_000)
    #expect(restore(&future, fetchedAt: 9_000_000, lifetime: 60, at: 1_000_000))
    #expect(future.age(at: 1_000_000) == 0)
  }

  @Test("a client without keys may try again when the next fetch may start")
  func retryAfter() {
    var schedule = begun()
    #expect(start(&schedule, at: 0))
    #expect(schedule.retryAfter(at: 0) == 1_000)
    schedule.fail(at: 500, random: 0)
    #expect(schedule.retryAfter(at: 500) == 9_500)
    #expect(schedule.retryAfter(at: 9_990) == 1_000)
  }
}

/// As `startIfDue`, in a form that an expectation can call.
private func start(_ schedule: inout KeySetSchedule, at now: Int64) -> Bool {
  schedule.startIfDue(at: now)
}

private func restore(
  _ schedule: inout KeySetSchedule, fetchedAt: Int64, lifetime: Int64, at now: Int64
) -> Bool {
  schedule.restore(fetchedAt: fetchedAt, lifetime: lifetime, at: now)
}
