import Channels
import ParleyProtocol
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite("Submitting jobs to the store", .onEachDatabase, .onOwnThreads)
struct StoreTests {
  private struct Refusal: Error {}

  @Test("acknowledged writes are visible to every read submitted later")
  func readsItsOwnWrites() async throws {
    let fixture = try await Fixture()
    for id in Int64(1)...50 {
      try await fixture.store.append(fixture.message(id))
      let read = try await fixture.store.read { [lobby = fixture.lobby] in
        try $0.message(id, channelID: lobby.id)
      }
      #expect(read?.seq == id)
    }
    fixture.store.close()
  }

  @Test("queued jobs share one commit, and are answered in the order of submission")
  func commitsInGroups() async throws {
    let commits = Mutex<[Int]>([])
    let wakeUps = Mutex(0)
    var options = StoreOptions(
      onCommit: { _, count in commits.withLock { $0.append(count) } },
      afterBatch: { wakeUps.withLock { $0 += 1 } })
    // All in one transaction, however slow the machine is.
    options.transactionMilliseconds = 600_000
    let fixture = try await Fixture(options: options)
    let gate = fixture.store.holdWriter()
    let order = Mutex<[Int64]>([])
    for id in Int64(1)...16 {
      fixture.store.append(fixture.message(id)) { _ in order.withLock { $0.append(id) } }
    }
    gate.open()
    fixture.store.close()
    #expect(order.withLock { $0 } == Array(1...16))
    #expect(commits.withLock { $0 } == [1, 16])
    #expect(wakeUps.withLock { $0 } == 3)
    #expect(fixture.store.statistics.batchCount == 2)
    #expect(fixture.store.statistics.jobCount == 17)
    #expect(fixture.store.statistics.lastCommitNanoseconds > 0)
  }

  @Test("a large backlog is split into batches, sized by waiting and recently answered jobs")
  func dividesBatches() async throws {
    let commits = Mutex<[Int]>([])
    var options = StoreOptions(onCommit: { _, count in commits.withLock { $0.append(count) } })
    // All in one transaction, however slow the machine is.
    options.transactionMilliseconds = 600_000
    let fixture = try await Fixture(options: options)
    let gate = fixture.store.holdWriter()
    for id in Int64(1)...200 { fixture.store.append(fixture.message(id)) { _ in } }
    gate.open()
    fixture.store.close()
    // The gate is a job too: half of 201, then half of 99 that wait and the 101 before.
    #expect(commits.withLock { $0 } == [1, 101, 99])
  }

  @Test("a batch contains no more jobs than its limit")
  func limitsBatches() async throws {
    let commits = Mutex<[Int]>([])
    var options = StoreOptions(onCommit: { _, count in commits.withLock { $0.append(count) } })
    options.batchLimit = 40
    let fixture = try await Fixture(options: options)
    let gate = fixture.store.holdWriter()
    for id in Int64(1)...100 { fixture.store.append(fixture.message(id)) { _ in } }
    gate.open()
    fixture.store.close()
    #expect(commits.withLock { $0.max() ?? 0 } <= 40)
    #expect(commits.withLock { $0.reduce(0, +) } == 101)
  }

  @Test("a job that throws undoes only its own changes")
  func isolatesFailures() async throws {
    let fixture = try await Fixture()
    let gate = fixture.store.holdWriter()
    let store = fixture.store
    let first = store.pendingAppend(fixture.message(1))
    let refused =
      store.pendingWrite { transaction in
        _ = try transaction.upsertUser("dan", at: 1)
        _ = try transaction.freezeChannel("lobby", at: 2)
        throw Refusal()
      } as Pending<Void>
    let taken = store.pendingAppend(fixture.message(1, at: 3))
    let stranger = store.pendingAppend(
      NewMessage(channelID: 99, id: 7, userID: "ann", text: "", createdAt: 1))
    let last = store.pendingAppend(fixture.message(2))
    gate.open()
    #expect(try first.get() == .stored(seq: 1, mentionedUsers: []))
    #expect(throws: Refusal.self) { try refused.get() }
    #expect(throws: LogError.exists) { try taken.get() }
    #expect(throws: LogError.missing(.channel)) { try stranger.get() }
    #expect(try last.get() == .stored(seq: 2, mentionedUsers: []))
    let (dan, lobby) = try await fixture.store.read {
      (try $0.user("dan"), try $0.channel("lobby"))
    }
    #expect(dan == nil)
    #expect(lobby?.channel.isFrozen == false)
    #expect(lobby?.lastSeq == 2)
  }

  @Test("a job beyond the queue's capacity is refused at once")
  func refusesWhenFull() async throws {
    var options = StoreOptions()
    options.queueCapacity = 10
    let fixture = try await Fixture(options: options)
    let gate = fixture.store.holdWriter()
    let refusals = Mutex(0)
    for id in Int64(1)...15 {
      fixture.store.append(fixture.message(id)) { result in
        if case .failure(StoreError.overloaded) = result { refusals.withLock { $0 += 1 } }
      }
    }
    #expect(refusals.withLock { $0 } == 5)
    #expect(fixture.store.statistics.queueLength == 10)
    gate.open()
    fixture.store.close()
    #expect(fixture.store.statistics.queueLength == 0)
  }

  @Test("closing answers submitted jobs and refuses later ones")
  func finishesWhenClosed() async throws {
    let fixture = try await Fixture()
    let answers = Mutex(0)
    for id in Int64(1)...500 {
      fixture.store.append(fixture.message(id)) { result in
        if case .success(.stored) = result { answers.withLock { $0 += 1 } }
      }
    }
    fixture.store.close()
    #expect(answers.withLock { $0 } == 500)
    await #expect(throws: StoreError.closed) { try await fixture.store.write { _ in } }
    await #expect(throws: StoreError.closed) { try await fixture.store.read { _ in } }
    fixture.store.close()
    let reopened = try Store(fixture.place)
    let count = try await reopened.read { [lobby = fixture.lobby] in
      try $0.messageCount(channelID: lobby.id)
    }
    #expect(count == 500)
    reopened.close()
  }

  @Test("a read job cannot write")
  func readsOnly() async throws {
    let fixture = try await Fixture()
    await #expect(throws: (any Error).self) {
      try await fixture.store.read { transaction in
        try transaction.connection.execute("DELETE FROM users")
      }
    }
    let user = try await fixture.store.read { try $0.user("ann") }
    #expect(user != nil)
  }
}
