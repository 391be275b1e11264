import Channels
import SQLite
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Addresses of uploaded files", .onOwnThreads)
struct FilesSchemaTests {
  private static let id = String(repeating: "a", count: 32)
  private static let named = "http://127.0.0.1:8080/files/\(id)/plan.png"
  private static let foreign = "http://elsewhere.example/files/\(id)/plan.png"

  private func urls(_ directory: TemporaryDirectory, base: String?) async throws -> [String?] {
    let options = StoreOptions(fileURL: { stored, id in
      guard let base, let path = stored.firstRange(of: "/files/\(id)/") else { return stored }
      return base + stored[path.lowerBound...]
    })
    let store = try Store(directory: directory.path, options: options)
    defer { store.close() }
    return try await store.read { transaction in
      let channel = try #require(try transaction.channel("lobby"))
      return try transaction.listMessages(
        MessageQuery(channelID: channel.id, anchor: .time(.max))
      ).map { $0.file?.url }
    }
  }

  @Test("are composed from the configured base, also in a database from before file IDs")
  func migrates() async throws {
    let fixture = try await Fixture()
    var uploaded = fixture.message(10, "", at: 1_000)
    uploaded.type = .file
    uploaded.file = MessageFile(url: "https://old.example/files/\(Self.id)/plan.png")
    uploaded.upload = FileRecord(
      id: Self.id, name: "plan.png", type: "", size: 1, url: Self.named)
    var linked = fixture.message(20, "", at: 1_001)
    linked.type = .file
    linked.file = MessageFile(url: Self.foreign)
    try await fixture.store.append(uploaded)
    try await fixture.store.append(linked)
    fixture.store.close()
    let database = try Database(path: fixture.directory.database)
    try database.execute("UPDATE messages SET file = json_remove(file, '$.id')")
    // As it was then: a file was in one message.
    try database.execute("ALTER TABLE files ADD COLUMN message_id INTEGER NOT NULL DEFAULT 0")
    try database.execute(
      """
      UPDATE files SET message_id =
        (SELECT message_id FROM file_messages WHERE file_messages.file_id = files.file_id)
      """)
    try database.execute("DELETE FROM grdb_migrations WHERE identifier LIKE '9 %'")
    database.close()
    let set = try await urls(fixture.directory, base: "https://cdn.example/chat")
    #expect(set == ["https://cdn.example/chat/files/\(Self.id)/plan.png", Self.foreign])
    #expect(try await urls(fixture.directory, base: nil) == [Self.named, Self.foreign])
  }
}
