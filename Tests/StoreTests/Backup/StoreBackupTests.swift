import Foundation
import Logging
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("A backup", .onOwnThreads)
struct StoreBackupTests {
  private static let noon: Int64 = 1_769_860_800_123
  private let directory = TemporaryDirectory()

  private var data: String { directory.path + "/data" }
  private var backups: String { directory.path + "/backups" }

  /// A data directory as a server leaves it, with some files.
  private func makeData(files: [String: String] = ["a": "one", "b": "two"]) throws {
    try FileManager.default.createDirectory(
      atPath: data + "/files", withIntermediateDirectories: true)
    let database = try DatabaseFile.openForWriting(
      data + "/parley.sqlite", logger: Logger(label: "test"))
    try database.withDatabase {
      try $0.execute("CREATE TABLE extra (text TEXT)")
      try $0.execute("INSERT INTO extra VALUES ('kept')")
    }
    database.close()
    for (name, text) in files { try write(text, to: "files/" + name) }
    try write("token\n", to: "api-token")
    try write("key\n", to: "file-keys")
  }

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: data + "/" + name, atomically: false, encoding: .utf8)
  }

  private func backUp(
    at time: Int64 = noon, keeping count: Int? = nil, parts: Set<BackupPart> = [.database]
  ) throws -> StoreBackup.Report {
    try StoreBackup(of: data, filesDirectory: data + "/files", parts: parts, in: backups)
      .run(at: time, keeping: count)
  }

  private func restore(
    _ backup: String, to target: String, _ present: StoreRestoration.PresentData = .refuses
  ) throws -> StoreRestoration.Report {
    try StoreRestoration(of: backup, to: target, filesDirectory: nil, presentData: present)
      .run(at: Self.noon)
  }

  private func names(_ path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  private func inode(_ path: String) throws -> UInt64? {
    try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64
  }

  private func restoredText(_ directory: String) throws -> String? {
    let database = try DatabaseFile.openForWriting(
      directory + "/parley.sqlite", logger: Logger(label: "test"))
    defer { database.close() }
    return try database.withDatabase { try $0.value("SELECT text FROM extra") }
  }

  @Test("is restored with database, files and token, while the server has the database open")
  func roundTrip() throws {
    try makeData()
    let writer = try DatabaseFile.openForWriting(
      data + "/parley.sqlite", logger: Logger(label: "test"))
    defer { writer.close() }
    try writer.withDatabase { try $0.execute("UPDATE extra SET text = 'in the log'") }
    let report = try backUp()
    #expect(report.path == backups + "/2026-01-31T120000.123Z")
    #expect(report.fileCount == 2 && report.fileByteCount == 6 && report.sharedFileCount == 0)
    let target = directory.path + "/restored"
    let restored = try restore(backups, to: target)
    #expect(restored.backup == report.path && restored.createdAt == Self.noon)
    #expect(try restoredText(target) == "in the log")
    #expect(try text(target + "/files/a") == "one")
    #expect(try text(target + "/api-token") == "token\n")
    #expect(!FileManager.default.fileExists(atPath: target + "/file-keys"))
    #expect(try names(target).allSatisfy { !$0.hasPrefix(".") })
  }

  @Test("shares unchanged files with the previous one, and the requested number is kept")
  func sharing() throws {
    try makeData()
    let first = try backUp()
    try write("three", to: "files/c")
    try write("TWO", to: "files/b")
    let second = try backUp(at: Self.noon + 1, keeping: 2)
    #expect(second.sharedFileCount == 1 && second.fileCount == 3 && second.removedCount == 0)
    #expect(try inode(first.path + "/files/a") == inode(second.path + "/files/a"))
    #expect(try inode(data + "/files/a") != inode(second.path + "/files/a"))
    #expect(try text(first.path + "/files/b") == "two" && text(second.path + "/files/b") == "TWO")
    #expect(try backUp(at: Self.noon + 2, keeping: 2).removedCount == 1)
    #expect(
      try names(backups)
        == ["2026-01-31T120000.124Z", "2026-01-31T120000.125Z", "lock"])
    #expect(try text(backups + "/2026-01-31T120000.125Z/files/a") == "one")
  }

  @Test("is the newest, even if the clock was set back since the last one")
  func clockSetBack() throws {
    try makeData()
    let first = try backUp()
    let second = try backUp(at: Self.noon - 3_600_000, keeping: 1)
    #expect(second.path > first.path && second.removedCount == 1)
    #expect(FileManager.default.fileExists(atPath: second.path))
    #expect(!FileManager.default.fileExists(atPath: first.path))
  }

  @Test("contains the master keys only on request")
  func masterKeys() throws {
    try makeData()
    #expect(try !names(backUp().path).contains("file-keys"))
    let report = try backUp(at: Self.noon + 1, parts: [.database, .masterKeys])
    #expect(try text(report.path + "/file-keys") == "key\n")
    let mode = try FileManager.default.attributesOfItem(atPath: report.path + "/file-keys")
    #expect(mode[.posixPermissions] as? Int == 0o600)
  }

  @Test("leaves the master keys of the directory in place unless it contains some")
  func presentMasterKeys() throws {
    try makeData()
    let without = try backUp().path
    let with = try backUp(at: Self.noon + 1, parts: [.database, .masterKeys]).path
    try write("newer\n", to: "file-keys")
    let kept = try restore(without, to: data, .isSetAside)
    #expect(kept.masterKeys == .kept && !kept.namesSetAside.contains("file-keys"))
    #expect(try text(data + "/file-keys") == "newer\n")
    let restored = try StoreRestoration(
      of: with, to: data, filesDirectory: nil, presentData: .isSetAside
    ).run(at: Self.noon + 1)
    #expect(restored.masterKeys == .restored && restored.namesSetAside.contains("file-keys"))
    #expect(try text(data + "/file-keys") == "key\n")
    #expect(try text(#require(restored.setAside) + "/file-keys") == "newer\n")
    #expect(try restore(without, to: directory.path + "/restored").masterKeys == .absent)
    // Keys that were put there first do not stand in the way.
    let prepared = directory.path + "/prepared"
    try FileManager.default.createDirectory(atPath: prepared, withIntermediateDirectories: true)
    try "key\n".write(toFile: prepared + "/file-keys", atomically: false, encoding: .utf8)
    #expect(try restore(without, to: prepared).masterKeys == .kept)
  }

  private func epochs(_ directory: String) throws -> [String] {
    let database = try Database(path: directory + "/parley.sqlite", access: .readOnly)
    defer { database.close() }
    let rows = try database.rows("SELECT epoch FROM channels")
    var epochs: [String] = []
    while let row = try rows.next() { epochs.append(row[0]) }
    return epochs
  }

  @Test("begins a new epoch of each channel when it is restored, without changing the backup")
  func epochs() throws {
    try makeData()
    let database = try Database(path: data + "/parley.sqlite")
    for url in ["a", "b"] {
      try database.execute(
        """
        INSERT INTO channels (url, name, name_folded, cover_url, data, custom_type, is_ephemeral,
          is_frozen, created_at, epoch, last_seq) VALUES (?, '', '', '', '', '', 0, 0, 1, 'first', 7)
        """, [url])
    }
    database.close()
    let backup = try backUp().path
    let target = directory.path + "/restored"
    _ = try restore(backup, to: target)
    let restored = try epochs(target)
    #expect(restored.count == 2 && !restored.contains("first"))
    #expect(try epochs(backup) == ["first", "first"])
    // The same backup once more is another life of the channels.
    _ = try restore(backup, to: target, .isSetAside)
    #expect(try Set(epochs(target)).isDisjoint(with: restored))
    let count = try EpochRenewals.run(in: .directory(target))
    #expect(try count == 2 && Set(epochs(target)).isDisjoint(with: restored))
    let lock = try DirectoryLock(directory: target)
    defer { lock.release() }
    #expect(throws: StoreError.self) { try EpochRenewals.run(in: .directory(target)) }
  }

  @Test("that was interrupted does not count, and is removed with the next")
  func remains() throws {
    try makeData()
    let partial = backups + "/.partial-2026-01-01T000000.000Z"
    try FileManager.default.createDirectory(
      atPath: partial + "/files", withIntermediateDirectories: true)
    let unfinished = backups + "/2026-01-01T000000.000Z"
    try FileManager.default.createDirectory(
      atPath: unfinished, withIntermediateDirectories: true)
    let target = directory.path + "/restored"
    #expect(throws: BackupError.self) { try restore(backups, to: target) }
    #expect(throws: BackupError.self) { try restore(unfinished, to: target) }
    _ = try backUp()
    #expect(!FileManager.default.fileExists(atPath: partial))
    #expect(try restore(backups, to: target).fileCount == 2)
  }

  @Test("of a directory that is not a data directory is refused and leaves nothing")
  func refusals() throws {
    #expect(throws: BackupError.self) { try backUp() }
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    #expect(throws: BackupError.self) { try backUp() }
    try write("not a database", to: "parley.sqlite")
    #expect(throws: (any Error).self) { try backUp() }
    #expect(try names(backups) == ["lock"])
  }

  @Test("is not restored when it is damaged")
  func damage() throws {
    try makeData()
    let path = try backUp().path
    let target = directory.path + "/restored"
    try FileManager.default.removeItem(atPath: path + "/files/a")
    #expect(throws: BackupError.self) { try restore(path, to: target) }
    try "one".write(toFile: path + "/files/a", atomically: false, encoding: .utf8)
    #expect(try restore(path, to: target).fileCount == 2)
    let handle = try #require(FileHandle(forWritingAtPath: path + "/parley.sqlite"))
    try handle.seek(toOffset: 3_000)
    try handle.write(contentsOf: Data([0xff, 0xff, 0xff]))
    try handle.close()
    #expect(throws: BackupError.self) { try restore(path, to: directory.path + "/other") }
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/other"))
  }

  @Test("is not restored over existing data without --replace, or under a running server")
  func presentData() throws {
    try makeData()
    let path = try backUp().path
    let other = try #require(throws: BackupError.self) { try restore(path, to: data) }
    #expect(other.description.contains("--replace"))
    let lock = try DirectoryLock(directory: data)
    let busy = try #require(throws: BackupError.self) { try restore(path, to: data, .isSetAside) }
    #expect(busy.description.contains("in use"))
    lock.release()
    try write("newer", to: "files/c")
    let report = try restore(path, to: data, .isSetAside)
    let aside = try #require(report.setAside)
    #expect(try text(aside + "/files/c") == "newer")
    #expect(report.namesSetAside.filter { ["files", "parley.sqlite"].contains($0) }.count == 2)
    #expect(try names(data + "/files") == ["a", "b"] && restoredText(data) == "kept")
  }
}
