import Channels
import Crypto
import Foundation
import SQLite
import Glibc
import ParleyProtocol
import Reactor
import TestSupport
import Testing

@testable import Store

@Suite("Files of messages", .onOwnThreads)
struct FileStoreTests {
  private let fixture: Fixture
  private let files: FileStore

  init() async throws {
    fixture = try await Fixture()
    files = try FileStore(DirectoryDepot(dataDirectory: fixture.directory.path))
  }

  private var kept: [String] { names("files") }
  private var incoming: [String] { names("uploads") }

  private func names(_ folder: String) -> [String] {
    let path = fixture.directory.path + "/" + folder
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// Receives a file whole.
  private func upload(_ pieces: [[UInt8]]) async throws -> any FileUpload {
    let upload = files.beginUpload()
    for piece in pieces {
      try await withCheckedThrowingContinuation { continuation in
        upload.write(piece) { continuation.resume(with: $0) }
      }
    }
    return upload
  }

  private func complete(_ upload: any FileUpload) async throws {
    try await withCheckedThrowingContinuation { continuation in
      upload.complete { continuation.resume(with: $0) }
    }
  }

  /// Waits until nothing of a kind is left to do.
  private func settled(_ condition: () async throws -> Bool) async throws {
    try await Deadline.standard.wait(for: "the end of all work", until: condition)
  }

  private func byteCount(_ id: String) throws -> Int64? {
    guard case .local(let file) = try files.open(id) else { return nil }
    return file.byteCount
  }

  private func record(_ id: String, size: Int64 = 6) -> FileRecord {
    FileRecord(id: id, name: "a.txt", type: "text/plain", size: size)
  }

  private func send(_ id: Int64, _ upload: any FileUpload) async throws {
    var message = fixture.message(id)
    message.type = .file
    message.file = MessageFile(url: "https://a.example/files/" + upload.id)
    message.upload = record(upload.id)
    try await fixture.store.append(message)
  }

  private func file(_ id: String) async throws -> FileRecord? {
    try await fixture.store.read { try $0.file(id) }
  }

  @Test("a file is received in a temporary place, and is readable there once complete")
  func receives() async throws {
    let upload = try await upload([Array("abc".utf8), [], Array("def".utf8)])
    #expect(incoming == [upload.id] && kept == [])
    try await complete(upload)
    #expect(incoming == [] && kept == [upload.id])
    #expect(try byteCount(upload.id) == 6)
    let path = fixture.directory.path + "/files/" + upload.id
    #expect(FileManager.default.contents(atPath: path) == Data("abcdef".utf8))
    #expect(upload.id.count == 32)
  }

  @Test("an empty file is stored like any other")
  func empty() async throws {
    let upload = files.beginUpload()
    try await complete(upload)
    #expect(try byteCount(upload.id) == 0)
  }

  @Test("an abandoned upload is removed, and a complete file only when no message has it")
  func discards() async throws {
    let first = try await upload([Array("abc".utf8)])
    first.discard()
    let second = try await upload([Array("abc".utf8)])
    try await complete(second)
    second.discard()
    files.remove(files.beginUpload().id)
    files.close()
    #expect(incoming == [] && kept == [second.id])
  }

  @Test("a file is found once its message is stored, and by no other text than its ID")
  func reads() async throws {
    let upload = try await upload([Array("abcdef".utf8)])
    try await complete(upload)
    #expect(try await file(upload.id) == nil)
    try await send(10, upload)
    #expect(try await file(upload.id) == record(upload.id))
    for id in ["", "../lock", upload.id.uppercased() + "0", String(repeating: "0", count: 32)] {
      #expect(try await file(id) == nil)
    }
  }

  @Test("a file is removed with its message, and stays for other messages")
  func goesWithMessage() async throws {
    let first = try await upload([Array("abcdef".utf8)])
    let second = try await upload([Array("abcdef".utf8)])
    for (id, upload) in [(Int64(10), first), (11, second)] {
      try await complete(upload)
      try await send(id, upload)
    }
    _ = try await fixture.store.write { [lobby = fixture.lobby] in
      try $0.deleteMessage(10, channelID: lobby.id, at: 2_000)
    }
    #expect(try await file(first.id) == nil)
    try await settled { kept == [second.id] }
    #expect(try await file(second.id) != nil)
    // The row goes after the file, in a transaction of its own.
    try await settled {
      try await fixture.store.read {
        try $0.connection.first("SELECT count(*) FROM removed_files", []) { $0[0] as Int }
      } == 0
    }
  }

  @Test("files are removed with their channel, including those of messages that it did not keep")
  func goesWithChannel() async throws {
    let first = try await upload([Array("abcdef".utf8)])
    let second = try await upload([Array("abcdef".utf8)])
    for upload in [first, second] { try await complete(upload) }
    try await send(10, first)
    let notKept = record(second.id)
    try await fixture.store.write { [lobby = fixture.lobby] in
      try $0.keepFile(notKept, shownAs: nil, of: nil, inMessage: 11, channelID: lobby.id, at: 1_000)
    }
    #expect(try await file(second.id) == notKept)
    _ = try await fixture.store.write { try $0.deleteChannel("lobby", at: 2_000) }
    #expect(try await file(first.id) == nil)
    #expect(try await file(second.id) == nil)
    try await settled { kept == [] }
  }

  @Test("leftovers of an earlier process are removed at the start, and nothing else")
  func collects() async throws {
    let sent = try await upload([Array("abcdef".utf8)])
    let lost = try await upload([Array("abcdef".utf8)])
    for upload in [sent, lost] { try await complete(upload) }
    try await send(10, sent)
    let broken = try await upload([Array("abc".utf8)])
    files.close()
    #expect(incoming.count == 1 && kept.count == 2)
    // Held until the next process has begun, as a crash would have it.
    defer { withExtendedLifetime(broken) {} }

    let next = try FileStore(DirectoryDepot(dataDirectory: fixture.directory.path))
    #expect(incoming == [])
    let new = next.beginUpload()
    try await complete(new)
    next.collectOrphans(in: fixture.store)
    try await settled { !kept.contains(lost.id) }
    #expect(kept == [sent.id, new.id].sorted())
    next.close()
  }

  @Test("concurrent replacements of a file do not mix, and each replaces it as a whole")
  func replaces() async throws {
    let upload = try await upload([Array("abcdef".utf8)])
    try await complete(upload)
    let depot = try DirectoryDepot(dataDirectory: fixture.directory.path)
    let attempts = [depot.beginReplacement(of: upload.id), depot.beginReplacement(of: upload.id)]
    for (attempt, text) in zip(attempts, ["first", "second"]) {
      try await withCheckedThrowingContinuation { continuation in
        attempt.write(Array(text.utf8)) { continuation.resume(with: $0) }
      }
    }
    #expect(try byteCount(upload.id) == 6)
    let path = fixture.directory.path + "/files/" + upload.id
    for (attempt, text) in zip(attempts, ["first", "second"]) {
      try await complete(attempt)
      #expect(FileManager.default.contents(atPath: path) == Data(text.utf8))
    }
    #expect(kept == [upload.id] && incoming == [])
    depot.close()
  }

  @Test("a file that another attempt has encrypted is not encrypted again")
  func encryptsOnce() async throws {
    let upload = try await upload([Array("abcdef".utf8)])
    try await complete(upload)
    let key = SymmetricKey()
    func encrypt() async throws {
      try await withCheckedThrowingContinuation { continuation in
        files.encrypt(upload.id, with: key, byteCount: 6) { continuation.resume(with: $0) }
      }
    }
    try await encrypt()
    let sealed = FileManager.default.contents(
      atPath: fixture.directory.path + "/files/" + upload.id)
    #expect(try byteCount(upload.id) == SealedLayout.storedByteCount(of: 6))
    await #expect(throws: FileReadError.self) { try await encrypt() }
    let path = fixture.directory.path + "/files/" + upload.id
    #expect(FileManager.default.contents(atPath: path) == sealed)
  }

  @Test("a released upload leaves nothing")
  func forgets() async throws {
    for _ in 0..<3 { _ = try await upload([Array("abc".utf8)]) }
    try await settled { incoming.isEmpty }
  }

  @Test("a crash between the deletion of a message and that of its file leaves nothing")
  func removesLater() async throws {
    let upload = try await upload([Array("abcdef".utf8)])
    try await complete(upload)
    try await send(10, upload)
    fixture.store.close()
    let database = try DatabaseFile.openForWriting(
      fixture.directory.database, logger: LogRecorder().logger)
    try database.withDatabase { try $0.execute("DELETE FROM messages") }
    database.close()
    #expect(kept == [upload.id])
    let store = try Store(directory: fixture.directory.path)
    try await settled { kept == [] }
    store.close()
  }

  @Test("a full disk fails the upload")
  func failingDisk() async throws {
    let upload = files.beginUpload()
    #expect(rmdir(fixture.directory.path + "/uploads") == 0)
    await #expect(throws: SystemError.self) {
      try await withCheckedThrowingContinuation { continuation in
        upload.write([1]) { continuation.resume(with: $0) }
      }
    }
  }

  @Test("uploads after the close are refused")
  func closed() async throws {
    files.close()
    await #expect(throws: StoreError.closed) {
      try await complete(files.beginUpload())
    }
  }
}
