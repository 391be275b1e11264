import Channels
import ParleyProtocol
import TestSupport
import Testing
import Uploads

@testable import Store

@Suite("Access rights to files", .onEachDatabase, .onOwnThreads)
struct FileAccessTests {
  private static let fileID = String(repeating: "a", count: 32)

  /// A store with an encrypted file of ann's in channels c1 to cN, and with the user bob.
  private static func store(channels count: Int64) async throws -> Store {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      _ = try transaction.upsertUser("bob", at: 1)
      let connection = transaction.connection
      try connection.execute(
        """
        INSERT INTO files (file_id, user_id, name, type, size, created_at, key_id, file_keys)
        VALUES (?, 'ann', '', '', 1, 1, 'k', ?)
        """, [fileID, [UInt8(1)]])
      for number in 1...count {
        let channel = try transaction.createChannel(
          Channel(url: "c\(number)", createdAt: 1), epoch: "e")
        try connection.execute(
          "INSERT INTO file_messages (message_id, file_id, channel_id) VALUES (?, ?, ?)",
          [number, fileID, channel.id])
      }
    }
    return fixture.store
  }

  private static func right(in urls: [String], _ store: Store) async throws -> FileRight {
    try await store.perform(FileRightLookup(fileID, by: "bob", in: urls, at: 10))
  }

  private static func execute(_ sql: String, in store: Store) async throws {
    try await store.write { try $0.connection.execute(StoreStatement(sql)) }
  }

  @Test("a participant, an operator and the owner have access, and a banned user has none")
  func rights() async throws {
    let store = try await Self.store(channels: 3)
    #expect(try await Self.right(in: ["lobby", "c2"], store) == .granted)
    #expect(try await Self.right(in: ["lobby"], store) == .absent)
    #expect(try await Self.right(in: [], store) == .absent)
    try await Self.execute(
      """
      INSERT INTO bans (channel_id, user_id, starts_at, ends_at, description)
      SELECT channel_id, 'bob', 1, 99, '' FROM channels WHERE url = 'c2'
      """, in: store)
    #expect(try await Self.right(in: ["c2"], store) == .banned(channelURL: "c2"))
    #expect(try await Self.right(in: [], store) == .banned(channelURL: "c2"))
    #expect(try await Self.right(in: ["c1"], store) == .granted)
    try await Self.execute(
      """
      INSERT INTO channel_operators (channel_id, user_id, position)
      SELECT channel_id, 'bob', 0 FROM channels WHERE url = 'c2'
      """, in: store)
    #expect(try await Self.right(in: [], store) == .banned(channelURL: "c2"))
    try await Self.execute(
      """
      INSERT INTO channel_operators (channel_id, user_id, position)
      SELECT channel_id, 'bob', 0 FROM channels WHERE url = 'c3'
      """, in: store)
    #expect(try await Self.right(in: [], store) == .granted)
  }

  /// A store with a group of ann's whose message of the time 100 has the encrypted file.
  private static func groupStore(isEphemeral: Bool = false) async throws -> Store {
    let store = try await Self.store(channels: 1)
    try await store.write { transaction in
      let group = Channel(
        url: "den", isEphemeral: isEphemeral, createdAt: 5,
        group: Group(createdBy: User(id: "ann")))
      _ = try transaction.createGroup(group, epoch: "e", inviting: [])
      let id = try transaction.existingChannel("den").id
      try transaction.connection.execute("DELETE FROM file_messages")
      for number in Int64(1)...3 {
        let message = NewMessage(
          channelID: id, id: 10 * number, userID: "ann", text: "m", createdAt: 50 * number)
        if !isEphemeral { try transaction.append(message) }
        guard number < 3 else { return }
        try transaction.connection.execute(
          "INSERT INTO file_messages (message_id, file_id, channel_id) VALUES (?, ?, ?)",
          [message.id, fileID, id])
      }
    }
    return store
  }

  private static func setMember(
    _ state: MemberState, visibleFrom: Int64 = 0, in store: Store
  ) async throws {
    try await store.write { transaction in
      _ = try transaction.depart(["bob"], from: "den", .left, at: 200)
      _ = try transaction.join("bob", "den", visibleFrom: visibleFrom, at: 200)
      try transaction.connection.execute(
        "UPDATE members SET state = ? WHERE user_id = 'bob'", [state.stored])
    }
  }

  @Test("a joined member has access to the files of the messages that it may read")
  func members() async throws {
    let store = try await Self.groupStore()
    #expect(try await Self.right(in: ["lobby"], store) == .absent)
    try await Self.setMember(.joined, in: store)
    #expect(try await Self.right(in: ["lobby"], store) == .granted)
    #expect(try await Self.right(in: [], store) == .granted)
    try await Self.setMember(.joined, visibleFrom: 100, in: store)
    #expect(try await Self.right(in: [], store) == .granted)
    try await Self.setMember(.joined, visibleFrom: 101, in: store)
    #expect(try await Self.right(in: [], store) == .absent)
    try await Self.setMember(.invited, in: store)
    #expect(try await Self.right(in: [], store) == .absent)
    try await store.write { _ = try $0.depart(["bob"], from: "den", .removed, at: 300) }
    #expect(try await Self.right(in: [], store) == .absent)
  }

  @Test("being there, operating and being banned mean nothing in a group")
  func roles() async throws {
    let store = try await Self.groupStore()
    #expect(try await Self.right(in: ["den"], store) == .absent)
    try await store.write { _ = try $0.addOperators("den", ["bob"], at: 5) }
    #expect(try await Self.right(in: [], store) == .absent)
    try await store.write { transaction in
      _ = try transaction.ban(
        channelURL: "den", Restriction(userID: "bob", startsAt: 1, endsAt: 99))
    }
    #expect(try await Self.right(in: ["den"], store) == .absent)
  }

  @Test("a file of an ephemeral group is for all who have joined")
  func ephemeralGroup() async throws {
    let store = try await Self.groupStore(isEphemeral: true)
    try await Self.setMember(.joined, visibleFrom: 500, in: store)
    #expect(try await Self.right(in: [], store) == .granted)
    try await Self.setMember(.invited, in: store)
    #expect(try await Self.right(in: [], store) == .absent)
  }

  @Test("a user's own file is widespread when it is in a thousand other channels")
  func widespread() async throws {
    func widespread(in count: Int64, to url: String, by userID: String = "ann") async throws -> Bool
    {
      let store = try await Self.store(channels: count)
      try await Self.execute(
        """
        INSERT INTO uploads (file_id, secret_hash, user_id, stage, name, type, size, created_at,
          expires_at, base)
        VALUES ('\(Self.fileID)', \(StoreUnderTest.current == .sqlite ? "X'01'" : "'\\x01'"),
          'ann', 'complete', '', '', 1, 1, 99, '')
        """, in: store)
      let lookup = FilesToSendLookup([Self.fileID], of: userID, to: url)
      let found = try await store.perform(lookup)
      #expect(found.records.keys.sorted() == [Self.fileID])
      return found.widespread == [Self.fileID]
    }
    #expect(try await !widespread(in: 999, to: "lobby"))
    #expect(try await widespread(in: 1_000, to: "lobby"))
    #expect(try await widespread(in: 1_001, to: "lobby"))
    #expect(try await !widespread(in: 1_000, to: "c7"))
    #expect(try await !widespread(in: 1_000, to: "lobby", by: "bob"))
  }
}
