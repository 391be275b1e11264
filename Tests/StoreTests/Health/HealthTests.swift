import Channels
import SQLite
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("A disk that fails", .onOwnThreads)
struct HealthTests {
  @Test("a full disk undoes the whole batch, and the store recovers by itself")
  func survivesFullDisk() async throws {
    let log = LogRecorder()
    var options = StoreOptions(logger: log.logger)
    options.probeIntervalMilliseconds = 10
    // All in one transaction, however slow the machine is.
    options.transactionMilliseconds = 60_000
    let fixture = try await Fixture(options: options)
    try await fixture.store.append(fixture.message(1))
    try await limitPages(fixture.store, to: 1)

    let gate = fixture.store.holdWriter()
    let small = fixture.store.pendingAppend(fixture.message(2))
    let user = fixture.store.pendingWrite { try $0.upsertUser("dan", at: 1) }
    let long = String(repeating: "x", count: 1 << 20)
    let large = fixture.store.pendingAppend(fixture.message(3, long))
    gate.open()
    await expectUnavailable { _ = try small.get() }
    await expectUnavailable { _ = try user.get() }
    await expectUnavailable { _ = try large.get() }
    guard case .failing(let reason) = fixture.store.health else {
      Issue.record("the store is healthy")
      return
    }
    #expect(reason.contains("full"))
    await expectUnavailable { try await fixture.store.append(fixture.message(4)) }
    let state = try await fixture.store.read { try $0.channel("lobby") }
    #expect(state?.lastSeq == 1)

    try await limitPages(fixture.store, to: 1 << 30)
    try await Deadline.standard.wait(for: "health") { fixture.store.health == .healthy }
    let outcome = try await fixture.store.append(fixture.message(5))
    #expect(outcome == .stored(seq: 2, mentionedUsers: []))
    #expect(fixture.store.statistics.failedBatchCount == 1)
    let lines = ["error: the store cannot write", "notice: the store can write again"]
    #expect(log.messages == lines)
    fixture.store.close()
  }

  @Test("a job that hides that the transaction is over does not save its batch")
  func noticesHiddenErrors() async throws {
    var options = StoreOptions(logger: LogRecorder().logger)
    options.probeIntervalMilliseconds = 10
    options.transactionMilliseconds = 60_000
    let fixture = try await Fixture(options: options)
    let gate = fixture.store.holdWriter()
    let before = fixture.store.pendingAppend(fixture.message(1))
    let hiding = fixture.store.pendingWrite { $0.connection.rollback() }
    let after = fixture.store.pendingAppend(fixture.message(2))
    gate.open()
    await expectUnavailable { _ = try before.get() }
    await expectUnavailable { _ = try hiding.get() }
    await expectUnavailable { _ = try after.get() }
    try await Deadline.standard.wait(for: "health") { fixture.store.health == .healthy }
    let outcome = try await fixture.store.append(fixture.message(3))
    #expect(outcome == .stored(seq: 1, mentionedUsers: []))
  }

  private func limitPages(_ store: Store, to count: Int) async throws {
    try await store.maintain { connection in
      try connection.execute("PRAGMA max_page_count = \(count)")
    }
  }

  private func expectUnavailable(_ body: () async throws -> Void) async {
    do {
      try await body()
      Issue.record("it was accepted")
    } catch StoreError.unavailable {
    } catch {
      Issue.record("unexpected: \(error)")
    }
  }
}
