import Channels
import ParleyProtocol
import Push
import TestSupport
import Testing

@testable import Store

@Suite("The progress of push jobs", .serialized, .onOwnThreads)
struct PushProgressTests {
  private static let stores = PushFixture.stores

  @Test("jobs end, go on or wait, tokens go, and successes are noted", arguments: stores)
  func progress(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    for name in ["dead", "good"] { try await fixture.register(name, of: "bob") }
    for id in Int64(1)...3 { await fixture.append(fixture.message(id)) }
    let jobs = try await fixture.jobs().jobs
    let tokens = try #require(
      try await fixture.audience(of: jobs[0]).recipients.first?.tokens)
    var advanced = jobs[1]
    (advanced.scope, advanced.dueAt, advanced.failures) = (.members(after: "bob"), 40, 1)
    var retry = jobs[0]
    (retry.scope, retry.dueAt) = (.token(userID: "bob", id: tokens[1].id), 90)
    (retry.failures, retry.template) = (2, PushMessageTemplate(body: "b"))
    let progress = PushProgress(
      finished: [jobs[0].id], advanced: [advanced], waiting: [retry], forgotten: [tokens[0].id],
      delivered: [tokens[1].id], at: 500, in: .everything)
    #expect(try await fixture.store.perform(progress).isEmpty)
    let later = try await fixture.jobs(at: 89)
    #expect(later.jobs == [advanced, jobs[2]] && later.nextDue == 90)
    #expect(try await fixture.backlog().count == 3)
    let waiting = try #require(try await fixture.jobs().jobs.last)
    retry.id = waiting.id
    #expect(waiting == retry && waiting.id > jobs[2].id)
    #expect(try await fixture.tokens(of: "bob").map(\.lastSuccessAt) == [0])
    // Successes are written a minute apart.
    for (time, stored) in [(70_000, 70_000), (129_999, 70_000), (130_000, 130_000)]
      as [(Int64, Int64)]
    {
      try await fixture.store.perform(
        PushProgress(finished: [], delivered: [tokens[1].id], at: time, in: .everything))
      #expect(try await fixture.tokens(of: "bob").map(\.lastSuccessAt) == [stored])
    }
    // The owner keeps the success of the token, another one does not.
    try await fixture.register("good", of: "bob", at: 9)
    #expect(try await fixture.tokens(of: "bob").map(\.lastSuccessAt) == [130_000])
    try await fixture.register("good", of: "cy", at: 10)
    #expect(try await fixture.tokens(of: "cy").map(\.lastSuccessAt) == [0])
  }

  @Test("a server reads and writes the jobs of its own lanes only")
  func lanes() async throws {
    let fixture = try await PushFixture(.postgreSQL)
    let hut = try #require(await fixture.log.create("hut", inviting: ["bob"]).state?.place)
    await fixture.append(fixture.message(1))
    await fixture.append(fixture.message(2), to: hut)
    let jobs = try await fixture.jobs().jobs
    #expect(jobs.map(\.channelURL) == ["den", "hut"] && jobs[0].lane != jobs[1].lane)
    let rows = jobs.map { OutboxLaneRow(lane: $0.lane, serverID: nil, term: 0) }
    let holds = try await fixture.store.perform(LaneClaim(of: rows, in: .push, by: 1))
    #expect(holds.count == 2)
    let share = OutboxShare.lanes(holds)
    #expect(try await fixture.jobs(in: share).jobs == jobs)
    let lost = try #require(holds.first { $0.lane == jobs[0].lane })
    _ = try await fixture.store.perform(
      LaneClaim(of: [OutboxLaneRow(lane: lost.lane, serverID: 1, term: 1)], in: .push, by: 2))
    let found = try await fixture.jobs(in: share)
    #expect(found.jobs == [jobs[1]] && found.lost == [lost])
    #expect(try await fixture.backlog(in: share).count == 2)
    var advanced = jobs
    for index in jobs.indices { advanced[index].failures = 4 }
    let progress = PushProgress(
      finished: [], advanced: advanced, waiting: jobs, at: 1, in: share)
    #expect(try await fixture.store.perform(progress) == [lost])
    #expect(try await fixture.jobs().jobs.map(\.failures) == [0, 4, 0])
    #expect(try await fixture.jobs().jobs.map(\.channelURL) == ["den", "hut", "hut"])
    let end = PushProgress(finished: jobs.map(\.id), at: 1, in: share)
    #expect(try await fixture.store.perform(end) == [lost])
    #expect(try await fixture.jobs().jobs.map(\.channelURL) == ["den", "hut"])
    #expect(try await fixture.jobs(in: .lanes([])).jobs.isEmpty)
    #expect(try await fixture.backlog(in: .lanes([])) == PushBacklog(count: 0))
  }

  @Test("progress takes two round trips, whatever it writes")
  func roundTrips() async throws {
    let fixture = try await PushFixture(.postgreSQL)
    await fixture.append(fixture.message(1))
    let job = try #require(try await fixture.jobs().jobs.first)
    let progress = PushProgress(
      finished: [job.id], waiting: Array(repeating: job, count: 50), at: 1, in: .everything)
    let count = try await fixture.store.write { transaction in
      let session = try #require(transaction.connection.session as? PostgreSQLSession)
      let before = session.roundTripCount
      _ = try progress.statements.run(transaction)
      return session.roundTripCount - before
    }
    // All is sent with the commit.
    #expect(count == 0)
    #expect(try await fixture.jobs().jobs.count == 50)
  }
}
