import Channels
import Foundation
import ParleyProtocol
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("The log on a failing disk", .onOwnThreads)
struct LogFailureTests {
  @Test("on a full disk a batch is discarded, and its numbers are reused")
  func fullDisk() async throws {
    let fixture = try await LogFixture(.sqlite, options: Self.options)
    let store = try #require(fixture.store)
    #expect(await fixture.write(.append(fixture.message(1))).appendedSeq == 1)
    try await store.maintain { try $0.execute("PRAGMA max_page_count = 1") }
    let gate = store.holdWriter()
    async let refused = fixture.write(
      .append(fixture.message(2)), .change([.freeze(true)], at: 5),
      .append(fixture.message(3, String(repeating: "x", count: 1 << 20))),
      .read(.message(1, channelID: fixture.lobby.id)))
    try await Deadline.standard.wait(for: "4 jobs") { store.statistics.queueLength >= 4 }
    gate.open()
    for result in await refused {
      guard case .failure(.unavailable) = result else {
        Issue.record("unexpected: \(result)")
        continue
      }
    }
    let state = await fixture.read(.channel(url: "lobby"))?.state
    #expect(state?.lastSeq == 1)
    #expect(state?.channel.isFrozen == false)
    try await store.maintain { try $0.execute("PRAGMA max_page_count = \(1 << 30)") }
    try await Deadline.standard.wait(for: "health") { store.health == .healthy }
    #expect(await fixture.write(.append(fixture.message(4))).appendedSeq == 2)
  }

  @Test("an interrupted commit has an unknown outcome, until an answered read shows it")
  func unknownOutcome() async throws {
    let fixture = try await LogFixture(.sqlite, options: Self.options)
    let store = try #require(fixture.store)
    let path = try #require(fixture.directory).database
    #expect(await fixture.write(.append(fixture.message(1))).appendedSeq == 1)
    let breakage = try BrokenDescriptor(path: path + "-wal")
    let broken = await fixture.write(.append(fixture.message(2)))
    guard case .failure(.unknown) = broken else {
      Issue.record("unexpected: \(broken)")
      return
    }
    let read = LogOperation.read(.message(2, channelID: fixture.lobby.id))
    guard case .failure(.unavailable) = await fixture.write(read) else {
      Issue.record("a failing log answers a read among its entries")
      return
    }
    breakage.mend()
    try await Deadline.standard.wait(for: "health") { store.health == .healthy }
    #expect(await fixture.write(read).reading == .message(nil))
    #expect(await fixture.write(.append(fixture.message(3))).appendedSeq == 2)
    store.close()
    let again = try Store(directory: try #require(fixture.directory).path)
    let kept = try await again.read { [lobby = fixture.lobby] transaction in
      try [1, 2, 3].map { try transaction.message($0, channelID: lobby.id)?.seq }
    }
    #expect(kept == [1, nil, 2])
    again.close()
  }

  @Test("an entry whose commit was interrupted may exist, and then counts as written")
  func unknownButKept() async throws {
    let fixture = try await LogFixture(.sqlite, options: Self.options)
    let store = try #require(fixture.store)
    try await store.maintain { connection in
      connection.session = BrokenOffSession(connection.session)
    }
    let broken = await fixture.write(
      .append(fixture.message(1)), .append(fixture.message(2)), .change([.freeze(true)], at: 5))
    #expect(
      broken.map(\.error) == Array(repeating: .unknown("the connection broke off"), count: 3))
    try await Deadline.standard.wait(for: "health") { store.health == .healthy }
    let results = await fixture.write(
      .read(.message(2, channelID: fixture.lobby.id)), .read(.channel(url: "lobby")),
      .append(fixture.message(3)))
    #expect(results[0].reading?.message?.seq == 2)
    #expect(results[1].reading?.state?.channel.isFrozen == true)
    #expect(results[2].appendedSeq == 4)
  }

  @Test("a write outside the log whose commit was interrupted may exist too")
  func unknownWrites() async throws {
    let fixture = try await LogFixture(.sqlite, options: Self.options)
    let store = try #require(fixture.store)
    try await store.maintain { connection in
      connection.session = BrokenOffSession(connection.session)
    }
    let write = store.pendingWrite { try $0.upsertUser("dan", at: 1) }
    #expect(throws: StoreError.unknown(reason: "the connection broke off")) { _ = try write.get() }
    try await Deadline.standard.wait(for: "health") { store.health == .healthy }
    #expect(try await store.read { try $0.users(["dan"]) }.count == 1)
  }

  @Test("so may a control write that does not wait for the log")
  func unknownWritesAside() async throws {
    let fixture = try await LogFixture(.sqlite, options: Self.options)
    let store = try #require(fixture.store)
    let write = Pending<Void> { completion in
      let jobs = JobQueue<ControlJob>(capacity: 1)
      let job = ControlJob({ _ = try $0.upsertUser("dan", at: 1) }, completion: completion)
      #expect(jobs.submit(job) == .accepted)
      jobs.close()
      store.submit(
        .maintenance { connection in
          let aside = StoreConnection(BrokenOffSession(connection.session))
          AsideWriter(connection: aside, jobs: jobs, afterBatch: {}).run()
        })
    }
    #expect(throws: StoreError.unknown(reason: "the connection broke off")) { try write.get() }
    #expect(try await store.read { try $0.users(["dan"]) }.count == 1)
  }

  @Test("a closed or overloaded log refuses at once")
  func refusals() async throws {
    var options = Self.options
    options.queueCapacity = 2
    let fixture = try await LogFixture(.sqlite, options: options)
    let store = try #require(fixture.store)
    let gate = store.holdWriter()
    async let first = fixture.write(.append(fixture.message(1)), .append(fixture.message(2)))
    try await Deadline.standard.wait(for: "2 jobs") { store.statistics.queueLength >= 2 }
    #expect(await fixture.write(.append(fixture.message(3))).error == .overloaded)
    gate.open()
    #expect(await first.map(\.appendedSeq) == [1, 2])
    store.close()
    #expect(await fixture.write(.append(fixture.message(4))).error == .closed)
    #expect(await fixture.read(.channel(url: "lobby")) == nil)
  }

  @Test("entries that write nothing cause no commit")
  func commits() async throws {
    let fixture = try await LogFixture(.sqlite)
    let store = try #require(fixture.store)
    let before = store.statistics.batchCount
    let results = await fixture.write(
      .relay(fixture.message(1)), .read(.channel(url: "lobby")), .relay(fixture.message(2)))
    #expect(results.allSatisfy { $0.error == nil })
    #expect(store.statistics.batchCount == before)
  }

  private static var options: StoreOptions {
    var options = StoreOptions(logger: LogRecorder().logger)
    options.probeIntervalMilliseconds = 10
    // All in one transaction, however slow the machine is.
    options.transactionMilliseconds = 60_000
    return options
  }
}

/// Makes writing to an open file fail, as with a disk that is torn out.
private struct BrokenDescriptor {
  private var descriptors: [(number: Int32, original: Int32)] = []

  /// - Parameter path: A file that this process has open.
  init(path: String) throws {
    // All are found before the first is replaced: a copy made here could get a number of the list.
    let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      .compactMap(Int32.init)
      .filter { number in
        let link = "/proc/self/fd/\(number)"
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == path
      }
    let nothing = open("/dev/null", O_RDONLY)
    defer { close(nothing) }
    for number in numbers {
      descriptors.append((number, dup(number)))
      dup2(nothing, number)
    }
    try #require(!descriptors.isEmpty)
  }

  func mend() {
    for descriptor in descriptors {
      dup2(descriptor.original, descriptor.number)
      close(descriptor.original)
    }
  }
}

/// A session that reports the next commit as broken off, though it is kept.
private final class BrokenOffSession: StoreSession {
  private let session: any StoreSession
  private var breaksOff = true

  init(_ session: any StoreSession) {
    self.session = session
  }

  func commit() throws {
    try session.commit()
    defer { breaksOff = false }
    if breaksOff { throw CommitFailure(reason: "the connection broke off") }
  }

  var keepsRequests: Bool { session.keepsRequests }
  var hasLanes: Bool { session.hasLanes }
  var hasTokenDocuments: Bool { session.hasTokenDocuments }
  var isInTransaction: Bool { session.isInTransaction }
  func begin() throws { try session.begin() }
  func beginReading() throws { try session.beginReading() }
  func settledChange() throws -> Int64 { try session.settledChange() }
  func rollback() { session.rollback() }
  func setSavepoint() throws { try session.setSavepoint() }
  func rollBackToSavepoint() throws { try session.rollBackToSavepoint() }
  func releaseSavepoint() throws { try session.releaseSavepoint() }
  func execute(_ sql: StoreStatement, _ values: StoreArguments) throws -> Int {
    try session.execute(sql, values)
  }
  func insert(
    _ sql: StoreStatement, _ values: StoreArguments, numbering column: String
  ) throws -> Int64 {
    try session.insert(sql, values, numbering: column)
  }
  func rows(_ sql: StoreStatement, _ values: StoreArguments) throws -> StoreRows {
    try session.rows(sql, values)
  }
  func scan(_ sql: StoreStatement, _ values: StoreArguments) throws -> StoreRows {
    try session.scan(sql, values)
  }
  func statement(_ sql: StoreStatement) throws -> any BoundStatement {
    try session.statement(sql)
  }
  func makeAppender(for connection: StoreConnection) -> any MessageAppending {
    session.makeAppender(for: connection)
  }
  var connectionCount: Int? { session.connectionCount }
  var isCutOff: Bool { session.isCutOff }
  var fileProblem: String? { session.fileProblem }

  func lookAtConnection() { session.lookAtConnection() }

  func restore() throws { try session.restore() }
}
