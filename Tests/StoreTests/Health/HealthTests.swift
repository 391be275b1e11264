import Channels
import Glibc
import SQLite
import ParleyProtocol
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite("A failing disk", .onOwnThreads)
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

  @Test("a job that hides the end of the transaction does not save its batch")
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

  @Test("a lock of another program is waited for")
  func waitsForLock() async throws {
    let fixture = try await Fixture(options: StoreOptions(logger: LogRecorder().logger))
    let other = try SharedDatabase(path: fixture.directory.database)
    try other.withDatabase { try $0.execute("BEGIN IMMEDIATE TRANSACTION") }
    let message = fixture.store.pendingAppend(fixture.message(1))
    let thread = try Reactor.Thread(name: "other") {
      usleep(200_000)
      other.withDatabase { $0.rollback() }
    }
    #expect(try message.get() == .stored(seq: 1, mentionedUsers: []))
    #expect(fixture.store.health == .healthy)
    thread.join()
    other.close()
  }

  @Test(
    "a database whose file is removed accepts no writes until it is back",
    arguments: ["", "-wal"], [true, false])
  func movedFile(suffix: String, isIdle: Bool) async throws {
    let log = LogRecorder()
    var options = StoreOptions(logger: log.logger)
    options.probeIntervalMilliseconds = 10
    let fixture = try await Fixture(options: options)
    try await fixture.store.append(fixture.message(1))
    let path = fixture.directory.database + suffix
    #expect(rename(path, path + ".away") == 0)
    let ids = IDs(after: 10)
    try await Deadline.standard.wait(for: "the loss") {
      if !isIdle { _ = try? await fixture.store.append(fixture.message(ids.next())) }
      return fixture.store.health != .healthy
    }
    guard case .failing(let reason) = fixture.store.health else { return #expect(Bool(false)) }
    #expect(reason.contains(path) && reason.contains("removed or moved"), "\(reason)")
    await expectUnavailable { try await fixture.store.append(fixture.message(4)) }
    #expect(log.messages == ["error: the store cannot write"])
    #expect(rename(path + ".away", path) == 0)
    try await Deadline.standard.wait(for: "health") { fixture.store.health == .healthy }
    _ = try await fixture.store.append(fixture.message(5))
    fixture.store.close()
  }

  private final class IDs: Sendable {
    private let last: Atomic<Int64>
    init(after last: Int64) { self.last = Atomic(last) }
    func next() -> Int64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
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
