import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Push jobs of messages", .serialized, .onOwnThreads)
struct PushJobStoreTests {
  private static let stores = PushFixture.stores

  @Test("a message of a group has a job, which is reported after the commit", arguments: stores)
  func job(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    var message = fixture.message(1)
    let template = PushMessageTemplate(title: "Sale", body: "Now \"50 %\"")
    message.pushes = .shaped(template)
    await fixture.append(message)
    await fixture.append(fixture.message(2, by: "bob"))
    let lane = OutboxLane(ofChannel: "den")
    #expect(
      fixture.takeArrivals() == [
        PushArrival(lane: lane, dueAt: 17), PushArrival(lane: lane, dueAt: 27),
      ])
    let all = try await fixture.jobs()
    let first = PushJob(
      id: all.jobs.first?.id ?? 0, channelID: fixture.den.id, channelURL: "den", messageID: 1,
      scope: .members(after: ""), createdAt: 10, dueAt: 17, template: template)
    #expect(all.jobs.first == first)
    #expect(all.jobs.map(\.messageID) == [1, 2] && all.jobs.last?.template == nil)
    #expect(all.nextDue == nil && all.lost.isEmpty)
    #expect(try await fixture.backlog() == PushBacklog(count: 2, oldest: 10))
    let early = try await fixture.jobs(at: 17)
    #expect(early.jobs == [first] && early.nextDue == 27)
    #expect(try await fixture.jobs(limit: 1).jobs == [first])
    #expect(try await fixture.jobs(except: [first.id]).jobs.map(\.messageID) == [2])
    let none = try await fixture.jobs(at: 16)
    #expect(none.jobs.isEmpty && none.nextDue == 17)
  }

  @Test("a run of many messages has a job for each", arguments: stores)
  func run(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    let ids = Array(1...40 as ClosedRange<Int64>)
    let entries = ids.map { id in
      var message = fixture.message(id)
      if id % 4 == 0 { message.pushes = nil }
      return LogEntry.write(.append(message), fixture.den)
    }
    #expect(await fixture.log.perform(entries).allSatisfy { $0.error == nil })
    #expect(try await fixture.jobs().jobs.map(\.messageID) == ids.filter { $0 % 4 != 0 })
    #expect(fixture.takeArrivals().count == 30)
  }

  @Test("messages that are not pushed have no job", arguments: stores)
  func none(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    var suppressed = fixture.message(1)
    suppressed.pushes = nil
    var silent = fixture.message(2)
    (silent.isCounted, silent.isSilent) = (false, true)
    var imported = fixture.message(3)
    imported.role = .imported
    var unheard = fixture.message(4)
    unheard.blockerID = "bob"
    var open = fixture.log.message(5, at: 50)
    (open.pushes, open.mentionedUserIDs) = (.plain, ["bob"])
    let relayed = fixture.message(6)
    for message in [suppressed, silent, imported, unheard] {
      #expect(await fixture.append(message).error == nil)
    }
    #expect(await fixture.append(open, to: fixture.log.lobby).error == nil)
    #expect(await fixture.log.perform(.write(.relay(relayed), fixture.den)).error == nil)
    #expect(fixture.takeArrivals().isEmpty)
    let jobs = try await fixture.jobs()
    #expect(jobs == PushJobs(jobs: [], nextDue: nil, lost: []))
  }

  @Test("a message of an open channel has a job for the users whom it names", arguments: stores)
  func openChannels(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind, pushesOpenChannelMentions: true)
    for (id, ids, type) in [
      (1, ["bob"], .users), (2, [], .users), (3, ["none"], .users), (4, ["bob"], .channel),
    ] as [(Int64, [String], MentionType)] {
      var message = fixture.log.message(id, at: id * 10)
      (message.pushes, message.mentionedUserIDs) = (.plain, ids)
      message.message.mentionType = type
      #expect(await fixture.append(message, to: fixture.log.lobby).error == nil)
    }
    let jobs = try await fixture.jobs().jobs
    #expect(jobs.map(\.messageID) == [1] && jobs.map(\.channelURL) == ["lobby"])
  }

  @Test("a refused or repeated message has no job", arguments: stores)
  func undone(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    var first = fixture.message(1)
    (first.message.requestID, first.mayBeRepeated) = ("r", true)
    var again = fixture.message(2)
    (again.message.requestID, again.mayBeRepeated) = ("r", true)
    var unstorable = fixture.message(3)
    unstorable.message.text = "a\0b"
    let entries = [first, again, unstorable, fixture.message(1), fixture.message(4)].map {
      LogEntry.write(.append($0), fixture.den)
    }
    let results = await fixture.log.perform(entries)
    #expect(results[1].repeatedSeq == results[0].appendedSeq)
    #expect(results[2].error == .unstorableText && results[3].error == .exists)
    #expect(try await fixture.jobs().jobs.map(\.messageID) == [1, 4])
    #expect(fixture.takeArrivals().count == 2)
  }

  @Test("a store without push options writes no job", arguments: stores)
  func disabled(_ kind: LogKind) async throws {
    let log = try await LogFixture(kind)
    let den = try #require(await log.create(inviting: ["bob"]).state?.place)
    var message = log.counted(1, by: "ann")
    message.pushes = .plain
    #expect(await log.perform(.write(.append(message), den)).error == nil)
    let store = try #require(log.store)
    #expect(try await store.perform(PushBacklogCount(in: .everything), for: .server).count == 0)
  }

  @Test(
    "jobs of a deleted channel are read without its URL, and have no audience",
    arguments: stores)
  func deletedChannel(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    try await fixture.register("b", of: "bob")
    await fixture.append(fixture.message(1))
    await fixture.append(fixture.message(2))
    await fixture.log.delete(1, in: fixture.den)
    let jobs = try await fixture.jobs().jobs
    #expect(try await fixture.audience(of: jobs[0]).message == nil)
    #expect(try await fixture.audience(of: jobs[1]).recipients.count == 1)
    #expect(await fixture.log.perform(.write(.remove(at: 99), fixture.den)).error == nil)
    let later = try await fixture.jobs().jobs
    #expect(later.map(\.channelURL) == ["", ""])
    #expect(try await fixture.audience(of: later[1]) == PushAudience.Page())
    let progress = PushProgress(finished: later.map(\.id), at: 1, in: .everything)
    #expect(try await fixture.store.perform(progress).isEmpty)
    #expect(try await fixture.jobs().jobs.isEmpty)
  }
}
