import Channels
import SQLite
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Migrating an existing database", .onOwnThreads)
struct MigrationsTests {
  @Test("a file of the first version is upgraded and keeps its rows")
  func migratesOldFile() async throws {
    let directory = TemporaryDirectory()
    try DataDirectory.create(directory.path)
    let old = try Database(path: directory.database)
    try old.execute("PRAGMA application_id = \(IntegrityCheck.applicationID)")
    try Migrations.run(
      Array(Migrations.all.prefix(1)), on: old, path: directory.database,
      logger: LogRecorder().logger)
    try old.execute(
      """
      INSERT INTO users (user_id, nickname, profile_url, created_at)
      VALUES ('ann', 'Ann', '', 1)
      """)
    old.close()

    let store = try Store(directory: directory.path)
    let user = try await store.read { try $0.user("ann") }
    #expect(user == User(id: "ann", nickname: "Ann"))
    let state = try await store.write { transaction in
      try transaction.createChannel(Channel(url: "lobby", createdAt: 1), epoch: "e")
    }
    #expect(state.id == 1)
    store.close()
  }

  @Test("reopening migrates nothing and keeps everything")
  func reopens() async throws {
    let fixture = try await Fixture()
    try await fixture.store.append(fixture.message(5, "kept"))
    fixture.store.close()
    let store = try Store(directory: fixture.directory.path)
    let (state, maximum) = try await store.read {
      (try $0.channel("lobby"), try $0.maximumMessageID())
    }
    #expect(state?.epoch == "first")
    #expect(state?.lastSeq == 1)
    #expect(state?.lastCreatedAt == 1_000)
    #expect(maximum == 5)
    store.close()
  }

  @Test("a file of a newer version is refused")
  func refusesNewer() throws {
    let directory = TemporaryDirectory()
    try Store(directory: directory.path).close()
    let database = try Database(path: directory.database)
    try database.execute("INSERT INTO grdb_migrations VALUES ('99 later')")
    database.close()
    #expect(throws: StoreError.newerSchema(path: directory.database)) {
      try Store(directory: directory.path)
    }
  }
}
