import Channels
import Foundation
import ParleyProtocol
import PostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import Store

/// A server of each test's own: what is done to it would disturb others.
@Suite("A store with a failing PostgreSQL", .serialized, .onOwnThreads)
struct PostgreSQLFaultTests {
  private static var options: StoreOptions {
    var options = StoreOptions(logger: LogRecorder().logger)
    options.probeIntervalMilliseconds = 20
    return options
  }

  @Test("crashes of the server under load lose no acknowledged write, and duplicate none")
  func crashes() async throws {
    let server = try PostgreSQLServer()
    let fixture = try await LogFixture(.postgreSQL, at: server.url, options: Self.options)
    let sent = SentMessages()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          while let id = sent.nextID() {
            guard let seq = await fixture.settledAppend(id) else { continue }
            sent.acknowledge(id, seq)
          }
        }
      }
      for crash in 0..<10 {
        try await sent.waitForAcknowledgements(3 * crash)
        try server.stop(.immediate)
        try server.start()
      }
      try await sent.waitForAcknowledgements(30)
      sent.end()
      try await group.waitForAll()
    }
    try await Deadline.standard.wait(for: "health") { fixture.store?.health == .healthy }
    fixture.store?.close()
    let rows = try PostgreSQLConnection(server.url).execute(
      "SELECT message_id, seq FROM messages ORDER BY seq")
    let stored = (0..<rows.count).map { (rows.integer($0, 0), rows.integer($0, 1)) }
    #expect(stored.map(\.1) == Array(1...Int64(max(stored.count, 1))))
    let kept = Dictionary(uniqueKeysWithValues: stored)
    let known = sent.acknowledged
    #expect(known.count >= 30)
    for (id, seq) in known { #expect(kept[id] == seq) }
    #expect(known.count == kept.count)
    try server.remove()
  }

  @Test("a connection killed during a commit leaves the outcome unknown until it is looked up")
  func killedInCommit() async throws {
    let server = try PostgreSQLServer()
    let fixture = try await LogFixture(.postgreSQL, at: server.url, options: Self.options)
    let admin = try PostgreSQLConnection(server.url)
    try admin.execute(
      script: """
        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_sleep(60); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON messages DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW WHEN (new.text = 'slow') EXECUTE FUNCTION slow();
        """)
    #expect(await fixture.write(.append(fixture.message(1))).appendedSeq == 1)
    async let broken = fixture.write(.append(fixture.message(2, "slow")))
    try await kill("query = 'COMMIT' AND state = 'active'", admin)
    let result = await broken
    guard case .failure(.unknown) = result else {
      Issue.record("unexpected: \(result)")
      return
    }
    let read = LogOperation.read(.message(2, channelID: fixture.lobby.id))
    #expect(await fixture.answer(read)?.reading == .message(nil))
    #expect(await fixture.write(.append(fixture.message(3))).appendedSeq == 2)
    fixture.store?.close()
    try server.remove()
  }

  @Test("a connection lost while nothing is written is detected and replaced")
  func lostWhileIdle() async throws {
    let server = try PostgreSQLServer()
    let count = Atomic<Int>(0)
    var options = Self.options
    options.didReconnect = { count.wrappingAdd(1, ordering: .relaxed) }
    let fixture = try await LogFixture(.postgreSQL, at: server.url, options: options)
    func reconnects(_ number: Int) async throws {
      try await Deadline.standard.wait(for: "a connection") {
        count.load(ordering: .relaxed) >= number
      }
      #expect(count.load(ordering: .relaxed) == number)
    }
    let admin = try PostgreSQLConnection(server.url)
    try await kill("pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')", admin)
    try await reconnects(1)
    #expect(fixture.store?.health == .healthy)
    try server.stop(.immediate)
    try await Deadline.standard.wait(for: "the loss") { fixture.store?.health != .healthy }
    try server.start()
    try await reconnects(2)
    try await Deadline.standard.wait(for: "health") { fixture.store?.health == .healthy }
    #expect(await fixture.write(.append(fixture.message(1))).appendedSeq == 1)
    fixture.store?.close()
    try server.remove()
  }

  @Test("writes wait for a restarting server, in order, and reads wait after them")
  func waitsForServer() async throws {
    let server = try PostgreSQLServer()
    var options = Self.options
    options.outageMilliseconds = 600_000
    let fixture = try await LogFixture(.postgreSQL, at: server.url, options: options)
    let store = try #require(fixture.store)
    #expect(await fixture.write(.append(fixture.message(1))).appendedSeq == 1)
    try server.stop(.fast)
    try await Deadline.standard.wait(for: "the loss") { store.health != .healthy }
    async let answers = fixture.write(
      .append(fixture.message(2)), .append(fixture.message(3)),
      .read(.message(2, channelID: fixture.lobby.id)))
    // They have been taken from the queue, and are held.
    try await Deadline.standard.wait(for: "an empty queue") { store.statistics.queueLength == 0 }
    try server.start()
    let results = await answers
    #expect(results[0].appendedSeq == 2 && results[1].appendedSeq == 3)
    #expect(results[2].reading?.message?.seq == 2)
    fixture.store?.close()
    try server.remove()
  }

  @Test("a write waits for a server that has stopped unnoticed")
  func waitsForUnnoticedStop() async throws {
    let server = try PostgreSQLServer()
    var options = Self.options
    options.outageMilliseconds = 600_000
    // While there is nothing to write, the connection is not looked at before that.
    options.probeIntervalMilliseconds = 5_000
    let fixture = try await LogFixture(.postgreSQL, at: server.url, options: options)
    let store = try #require(fixture.store)
    #expect(await fixture.write(.append(fixture.message(1))).appendedSeq == 1)
    try server.stop(.fast)
    async let answer = fixture.write(.append(fixture.message(2)))
    try await Deadline.standard.wait(for: "the loss") { store.health != .healthy }
    try server.start()
    #expect(await answer.appendedSeq == 2)
    store.close()
    try server.remove()
  }

  @Test("writes that have waited for a server too long fail, and are not applied")
  func waitsInVain() async throws {
    let server = try PostgreSQLServer()
    var options = Self.options
    options.outageMilliseconds = 300
    let fixture = try await LogFixture(.postgreSQL, at: server.url, options: options)
    #expect(await fixture.write(.append(fixture.message(1))).appendedSeq == 1)
    try server.stop(.fast)
    let result = await fixture.write(.append(fixture.message(2)))
    guard case .failure(.unavailable) = result else {
      Issue.record("unexpected: \(result)")
      return
    }
    try server.start()
    try await Deadline.standard.wait(for: "health") { fixture.store?.health == .healthy }
    #expect(await fixture.write(.append(fixture.message(3))).appendedSeq == 2)
    fixture.store?.close()
    try server.remove()
  }

  @Test("a commit whose response is lost counts as written")
  func committedUnseen() async throws {
    let server = try PostgreSQLServer()
    let fixture = try await LogFixture(.postgreSQL, at: server.url, options: Self.options)
    let admin = try PostgreSQLConnection(server.url)
    _ = try admin.execute("CREATE TABLE awaited (number bigint)")
    // The commit is durable here, and waits for a standby that there is not.
    _ = try admin.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    _ = try admin.execute("SELECT pg_reload_conf()")
    try await Deadline.standard.wait(for: "the setting") { try await commitsWait(server, admin) }
    async let broken = fixture.write(.append(fixture.message(1)))
    try await kill("wait_event = 'SyncRep'", admin)
    let result = await broken
    guard case .failure(.unknown) = result else {
      Issue.record("unexpected: \(result)")
      return
    }
    _ = try admin.execute("ALTER SYSTEM RESET synchronous_standby_names")
    _ = try admin.execute("SELECT pg_reload_conf()")
    let read = LogOperation.read(.message(1, channelID: fixture.lobby.id))
    #expect(await fixture.answer(read)?.reading?.message?.seq == 1)
    #expect(await fixture.write(.append(fixture.message(2))).appendedSeq == 2)
    fixture.store?.close()
    try server.remove()
  }

  @Test("reads work again after a restart of the server, on each connection")
  func readsReconnect() async throws {
    let server = try PostgreSQLServer()
    let fixture = try await LogFixture(.postgreSQL, at: server.url, options: Self.options)
    #expect(await fixture.read(.channel(url: "lobby"))?.state != nil)
    try server.stop(.fast)
    #expect(await fixture.read(.channel(url: "lobby")) == nil)
    try server.start()
    var inRow = 0
    try await Deadline.standard.wait(for: "eight reads") {
      inRow = await fixture.read(.channel(url: "lobby"))?.state == nil ? 0 : inRow + 1
      return inRow == 8
    }
    fixture.store?.close()
    try server.remove()
  }

  /// Whether commits wait for a standby: the checkpointer decides that once it has read the setting.
  private func commitsWait(
    _ server: PostgreSQLServer, _ admin: PostgreSQLConnection
  ) async throws -> Bool {
    var options = PostgreSQLConnection.Options()
    options.answerTimeout = 200
    let probe = try PostgreSQLConnection(server.url, options)
    guard (try? probe.execute("INSERT INTO awaited VALUES (1)")) == nil else { return false }
    let session = "FROM pg_stat_activity WHERE pid = \(probe.processID)"
    let waits = try admin.execute("SELECT 1 \(session) AND wait_event = 'SyncRep'").count > 0
    _ = try admin.execute("SELECT pg_terminate_backend(pid) \(session)")
    try await Deadline.standard.wait(for: "the end of the probe") {
      try admin.execute("SELECT 1 \(session)").count == 0
    }
    return waits
  }

  /// Ends the session whose activity fulfils a condition, once there is one.
  private func kill(_ condition: String, _ admin: PostgreSQLConnection) async throws {
    try await Deadline.standard.wait(for: "a session: \(condition)") {
      try admin.execute(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE \(condition) AND pid <> pg_backend_pid()
        """
      ).count > 0
    }
  }
}

/// The messages of several senders, with the numbers of those that were acknowledged.
final class SentMessages: Sendable {
  private struct State {
    var lastID: Int64 = 0
    var acknowledged: [Int64: Int64] = [:]
    var isOver = false
  }

  private let state = Mutex(State())

  var acknowledged: [Int64: Int64] { state.withLock { $0.acknowledged } }

  /// The id of the next message; `nil` at the end.
  func nextID() -> Int64? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      state.lastID += 1
      return state.lastID
    }
  }

  func acknowledge(_ id: Int64, _ seq: Int64) { state.withLock { $0.acknowledged[id] = seq } }

  func end() { state.withLock { $0.isOver = true } }

  /// Waits until a number of messages are acknowledged.
  func waitForAcknowledgements(_ count: Int) async throws {
    try await Deadline.standard.wait(for: "\(count) acknowledgements") {
      acknowledged.count >= count
    }
  }
}

extension LogFixture {
  /// Appends a message as a judge does: an outcome that is unknown is looked up.
  ///
  /// - Returns: Its number; `nil` when it is certainly not there.
  func settledAppend(_ id: Int64) async -> Int64? {
    let result = await write(.append(message(id, requestID: "r\(id)")))
    switch result {
    case .success(.appended(let seq, _)): return seq
    case .failure(.unknown):
      let read = LogOperation.read(.message(id, channelID: lobby.id))
      return await answer(read)?.reading?.message?.seq
    case .failure:
      try? await Task.sleep(for: .milliseconds(20))
      return nil
    case .success:
      Issue.record("unexpected: \(result)")
      return nil
    }
  }

  /// Repeats an operation until the log is there to answer it.
  func answer(_ operation: LogOperation) async -> LogResult? {
    var answer: LogResult?
    try? await Deadline.standard.wait(for: "an answer of the log") {
      let result = await write(operation)
      switch result {
      case .failure(.unavailable), .failure(.unknown): return false
      case .success, .failure:
        answer = result
        return true
      }
    }
    return answer
  }
}
