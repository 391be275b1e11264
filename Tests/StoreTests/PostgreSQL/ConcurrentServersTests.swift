import Channels
import ParleyProtocol
import TestSupport
import Testing
import Uploads

@testable import Store

@Suite("Servers that change the same rows at once", .onOwnThreads)
struct ConcurrentServersTests {
  private static let fileID = String(repeating: "a", count: 32)
  private static let file = FileRecord(id: fileID, name: "a", type: "", size: 1)
  private let fixture: Fixture
  private var store: Store { fixture.store }

  init() async throws {
    fixture = try await StoreUnderTest.$current.withValue(.postgreSQL) { try await Fixture() }
  }

  private func other(_ statements: String...) throws -> OtherServer {
    guard case .postgreSQL(let url) = fixture.place else { throw StoreError.closed }
    return try OtherServer(url, statements)
  }

  /// Keeps a file without a message, and begins to add a message with it on another server.
  private func addingMessage() async throws -> OtherServer {
    try await store.perform(
      FileNote(Self.file, of: "ann", at: 1_000, expiresAt: 2_000, secretHash: [1]))
    return try other(
      "SELECT 1 FROM files WHERE file_id = '\(Self.fileID)' FOR SHARE",
      """
      INSERT INTO file_messages (message_id, file_id, channel_id)
      VALUES (10, '\(Self.fileID)', \(fixture.lobby.id))
      """)
  }

  @Test("a file that is being added to a message is not removed")
  func fileInUse() async throws {
    let other = try await addingMessage()
    let outcome = try await other.race { [store] in
      try await store.perform(UnusedFileRemoval(Self.fileID))
    }
    #expect(outcome == .inUse)
    #expect(try await store.perform(FileLookup(Self.fileID)) == Self.file)
  }

  @Test("a file that is being added to a message is not swept")
  func fileNotSwept() async throws {
    let other = try await addingMessage()
    _ = try await other.race { [store] in try await store.perform(UploadSweep(at: 2_000)) }
    #expect(try await store.perform(FileLookup(Self.fileID)) == Self.file)
  }

  /// Makes an upload, and begins to complete it on another server.
  private func completing() async throws -> OtherServer {
    let record = UploadRecord(
      fileID: Self.fileID, userID: "ann", name: "a", type: "", size: 1, createdAt: 1_000,
      expiresAt: 2_000)
    let limits = UploadLimits(unfinished: 0, perSecond: 0, perMinute: 0, byteCount: 0)
    let creation = UploadCreation(NewUpload(record, secretHash: [1]), limits: limits)
    #expect(try await store.perform(creation) == .created)
    return try other(
      """
      UPDATE uploads SET stage = 'complete', durable_bytes = size, expires_at = 9000
      WHERE file_id = '\(Self.fileID)'
      """,
      """
      INSERT INTO files (file_id, user_id, name, type, size, created_at)
      VALUES ('\(Self.fileID)', 'ann', 'a', '', 1, 1000)
      """)
  }

  @Test("an upload that another server completes is not cancelled")
  func completeNotCancelled() async throws {
    let other = try await completing()
    let outcome = try await other.race { [store] in
      try await store.perform(UploadCancellation(Self.fileID, at: 1_500))
    }
    #expect(outcome == .over(.complete))
    #expect(try await store.perform(FileLookup(Self.fileID)) == Self.file)
  }

  @Test("an upload that another server completes is not swept")
  func completeNotSwept() async throws {
    let other = try await completing()
    _ = try await other.race { [store] in try await store.perform(UploadSweep(at: 2_000)) }
    #expect(try await store.perform(FileLookup(Self.fileID)) == Self.file)
    #expect(try await store.perform(UploadLookup(Self.fileID))?.expiresAt == 9_000)
  }

  @Test("a file being added to a message is not encrypted as a file without messages")
  func fileNotConverted() async throws {
    let other = try await addingMessage()
    let outcome = try await other.race { [store] in
      try await store.perform(
        FileConversionStart(Self.fileID, FileSeal(masterKeyID: "k", keys: [1]), .unsent))
    }
    #expect(outcome == .inMessage)
  }

  @Test("no message declares a file as needing no key while the file is being encrypted")
  func fileConverted() async throws {
    try await store.perform(
      FileNote(Self.file, of: "ann", at: 1_000, expiresAt: 2_000, secretHash: [1]))
    let other = try other(
      "SELECT 1 FROM files WHERE file_id = '\(Self.fileID)' FOR NO KEY UPDATE",
      "UPDATE files SET key_id = 'k', file_keys = '\\x01', is_converting = 1")
    var message = fixture.message(11)
    message.type = .file
    message.file = MessageFile(id: Self.fileID, url: "https://a.example/")
    message.upload = Self.file
    let stale = message
    await #expect(throws: LogError.outdatedFile) {
      try await other.race { [store] in try await store.append(stale) }
    }
    message.file?.requiresAuthorization = true
    #expect(try await store.append(message) == .stored(seq: 1, mentionedUsers: []))
  }

  @Test("a file that is being removed is not added to a message")
  func fileGone() async throws {
    try await store.perform(
      FileNote(Self.file, of: "ann", at: 1_000, expiresAt: 2_000, secretHash: [1]))
    let other = try other(
      "SELECT 1 FROM files WHERE file_id = '\(Self.fileID)' FOR NO KEY UPDATE",
      "UPDATE uploads SET stage = 'expired' WHERE file_id = '\(Self.fileID)'",
      "DELETE FROM files WHERE file_id = '\(Self.fileID)'")
    await #expect(throws: StoreError.notFound(.file)) {
      try await other.race { [store, lobby = fixture.lobby] in
        try await store.write {
          try $0.keepFile(
            Self.file, shownAs: nil, of: nil, inMessage: 11, channelID: lobby.id, at: 1_000)
        }
      }
    }
  }

  @Test("increases of a counter add up")
  func counters() async throws {
    try await store.perform(MetacounterChange(.insert(["a": 5]), ofChannel: "lobby", .open))
    let other = try other(
      "SELECT 1 FROM channels WHERE url = 'lobby' FOR NO KEY UPDATE",
      "UPDATE metacounters SET value = value + 1")
    let counters = try await other.race { [store] in
      try await store.perform(
        MetacounterChange(.update(["a": 1], .increase, missing: .skip), ofChannel: "lobby", .open))
    }
    #expect(counters == ["a": 7])
  }

  @Test("metadata items that another server adds are kept", arguments: ["users", "channels"])
  func metadata(table: String) async throws {
    let owner = table == "users" ? MetadataOwner.user("ann") : .channel("lobby", .open)
    let other = try other("UPDATE \(table) SET metadata = '{\"a\":\"1\"}'")
    let outcome = try await other.race { [store] in
      try await store.perform(MetadataChange(.insert(["b": "2"]), of: owner))
    }
    #expect(outcome.items == ["a": "1", "b": "2"])
  }

  @Test("a profile change keeps the fields that another server changes")
  func profile() async throws {
    let other = try other("UPDATE users SET metadata = '{\"a\":\"1\"}'")
    let user = try await other.race { [store] in
      try await store.perform(ProfileChange("ann", nickname: "Anna", at: 2)).user
    }
    #expect(user == User(id: "ann", nickname: "Anna", metadata: ["a": "1"]))
    #expect(try await store.read { try $0.user("ann") } == user)
  }

  @Test("a user created by another server exists, and one deleted by it is not restored")
  func users() async throws {
    let making = try other(
      """
      INSERT INTO users (user_id, nickname, profile_url, created_at) VALUES ('dan', 'Dan', '', 1)
      """)
    await #expect(throws: StoreError.exists) {
      _ = try await making.race { [store] in
        try await store.perform(UserCreation(User(id: "dan", nickname: "D"), at: 2))
      }
    }
    #expect(try await store.read { try $0.user("dan") }?.nickname == "Dan")
    let deleting = try other("DELETE FROM users WHERE user_id = 'bob'")
    await #expect(throws: StoreError.noUser("bob")) {
      _ = try await deleting.race { [store] in
        try await store.perform(UserChange("bob", nickname: "B"))
      }
    }
    #expect(try await store.read { try $0.user("bob") } == nil)
  }

  @Test("a channel that two servers remove leaves no message")
  func purge() async throws {
    let lobby = fixture.lobby.id
    try await store.write { transaction in
      for id in Int64(1)...1_500 {
        _ = try transaction.append(
          NewMessage(channelID: lobby, id: id, userID: "ann", text: "m", createdAt: id))
      }
    }
    // The writer's own look for remains is over when it has taken a second job.
    for _ in 0..<2 { try await store.maintain { _ in } }
    try await store.maintain {
      try $0.execute("INSERT INTO orphaned_channels (channel_id) VALUES (?)", [lobby])
    }
    let other = try other(
      "SELECT 1 FROM orphaned_channels FOR UPDATE",
      "DELETE FROM messages WHERE message_id <= 1000")
    _ = try await other.race { [store] in
      try await store.maintain { _ = try ChannelPurge.step(on: $0) }
    }
    try await store.maintain { connection in
      while try ChannelPurge.step(on: connection) == .unfinished {}
    }
    for table in ["messages", "orphaned_channels"] {
      let count = try await store.read {
        try $0.connection.first("SELECT count(*) FROM \(table)", []) { $0[0] as Int }
      }
      #expect(count == 0, "\(table)")
    }
  }

  @Test("the master key of one server is that of the deployment")
  func masterKey() async throws {
    let other = try other(
      "LOCK TABLE file_master_keys IN EXCLUSIVE MODE",
      "INSERT INTO file_master_keys (key_id, proof) VALUES ('a', '\\x01')")
    let obstacle = try await other.race { [store] in
      try await store.perform(
        MasterKeyJoin([MasterKeyProof(keyID: "b", proof: [2])], .shared))
    }
    #expect(obstacle == .lacks(["a"]))
  }

  @Test("a thumbnail that is being added is not withdrawn")
  func thumbnails() async throws {
    try await store.perform(
      FileNote(Self.file, of: "ann", at: 1_000, expiresAt: 2_000, secretHash: [1]))
    let thumbnail = FileThumbnail(
      bounds: ThumbnailSize(maxWidth: 10, maxHeight: 10), contentID: "c1", type: "image/png",
      size: 7, width: 5, height: 4)
    let other = try other(
      "SELECT 1 FROM files WHERE file_id = '\(Self.fileID)' FOR NO KEY UPDATE",
      """
      INSERT INTO thumbnails
        (file_id, max_width, max_height, content_id, type, size, width, height, created_at)
      VALUES ('\(Self.fileID)', 10, 10, 'c1', 'image/png', 7, 5, 4, 1000)
      """)
    try await other.race { [store] in
      try await store.perform(ThumbnailWithdrawal([thumbnail], of: Self.fileID))
    }
    let removed = try await store.read {
      try $0.connection.first("SELECT count(*) FROM removed_files", []) { $0[0] as Int }
    }
    #expect(removed == 0)
  }
}
