import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Opening a store", .onOwnThreads)
struct OpeningTests {
  @Test("a missing directory is created for its owner alone, with its parents")
  func createsDirectory() throws {
    let directory = TemporaryDirectory()
    let nested = directory.path + "/a/b"
    try Store(directory: nested).close()
    let attributes = try FileManager.default.attributesOfItem(atPath: nested)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
  }

  @Test("a path that is a file is refused by name")
  func refusesFile() throws {
    let directory = TemporaryDirectory()
    try Data().write(to: URL(fileURLWithPath: directory.path))
    let error = #expect(throws: StoreError.self) { try Store(directory: directory.path) }
    #expect(error?.description.contains(directory.path) == true)
  }

  @Test("a second store in the same directory is refused, naming directory and process")
  func locks() async throws {
    let fixture = try await Fixture()
    let expected = StoreError.locked(directory: fixture.directory.path, processID: getpid())
    let error = #expect(throws: StoreError.self) {
      try Store(directory: fixture.directory.path)
    }
    #expect(error == expected)
    #expect(error?.description.contains("process \(getpid())") == true)
    fixture.store.close()
    try Store(directory: fixture.directory.path).close()
  }

  @Test("commits are synchronised to disk, in write-ahead mode, with foreign keys")
  func isDurable() async throws {
    let fixture = try await Fixture()
    let settings = try await fixture.store.write { transaction in
      try ["journal_mode", "synchronous", "foreign_keys"].map { name in
        try transaction.connection.first("PRAGMA \(name)", []) { $0[0] as String }
      }
    }
    #expect(settings == ["wal", "2", "1"])
  }

  @Test("a new database has pages of 2,048 bytes, and an old one keeps its own")
  func keepsPageSize() async throws {
    let fixture = try await Fixture()
    #expect(try await pageSize(of: fixture.store) == 2_048)
    let directory = TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.path, withIntermediateDirectories: true)
    let old = try Database(path: directory.database)
    try old.execute(
      script: """
        PRAGMA page_size = 4096;
        PRAGMA application_id = \(IntegrityCheck.applicationID);
        """)
    old.close()
    let store = try Store(directory: directory.path)
    #expect(try await pageSize(of: store) == 4_096)
    store.close()
  }

  private func pageSize(of store: Store) async throws -> Int? {
    try await store.write { transaction in
      try transaction.connection.first("PRAGMA page_size", []) { $0[0] as Int }
    }
  }

  @Test("the WAL file grows in steps, so that most commits leave its size unchanged")
  func growsLogInSteps() async throws {
    let fixture = try await Fixture()
    let log = fixture.directory.database + "-wal"
    for version in 1...2 {
      try await fixture.store.write { transaction in
        try transaction.connection.execute("PRAGMA user_version = \(version)")
      }
      let attributes = try FileManager.default.attributesOfItem(atPath: log)
      #expect((attributes[.size] as? NSNumber)?.intValue == 1 << 20)
    }
  }

  @Test("a file that is not a database is refused")
  func refusesGarbage() throws {
    let directory = TemporaryDirectory()
    try Store(directory: directory.path).close()
    try Data(repeating: 0x2A, count: 8_192).write(to: URL(fileURLWithPath: directory.database))
    expectDamaged(directory)
  }

  @Test("a database with a damaged page is refused")
  func refusesDamage() async throws {
    let fixture = try await Fixture()
    for id in Int64(1)...200 {
      fixture.store.append(fixture.message(id, String(repeating: "x", count: 500))) { _ in }
    }
    fixture.store.close()
    let handle = try #require(FileHandle(forUpdatingAtPath: fixture.directory.database))
    let size = try handle.seekToEnd()
    for page in stride(from: UInt64(4_096), to: size, by: 4_096) {
      try handle.seek(toOffset: page)
      try handle.write(contentsOf: Data(repeating: 0xA5, count: 64))
    }
    try handle.close()
    expectDamaged(fixture.directory)
  }

  @Test("another application's database is refused and left unchanged")
  func refusesForeign() throws {
    let directory = TemporaryDirectory()
    try Store(directory: directory.path).close()
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: directory.database + suffix)
    }
    let foreign = try Database(path: directory.database)
    try foreign.execute("CREATE TABLE theirs (a)")
    foreign.close()
    let before = FileManager.default.contents(atPath: directory.database)
    expectDamaged(directory)
    #expect(FileManager.default.contents(atPath: directory.database) == before)
  }

  private func expectDamaged(_ directory: TemporaryDirectory) {
    let error = #expect(throws: StoreError.self) { try Store(directory: directory.path) }
    guard case .damaged(directory.database, _)? = error else {
      Issue.record("unexpected: \(String(describing: error))")
      return
    }
  }
}
