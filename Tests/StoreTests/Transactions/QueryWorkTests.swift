import Channels
import CSQLite
import ParleyProtocol
import Synchronization
import TestSupport
import Testing
import Uploads

@testable import SQLite
@testable import Store

/// Compares the steps that SQLite takes with few rows of someone else's making and with many.
@Suite("Work of queries", .onOwnThreads)
struct QueryWorkTests {
  private static let fileID = String(repeating: "a", count: 32)

  @Test("a refused creation scans neither the user's finished uploads nor its older files")
  func uploadCreation() async throws {
    func steps(with count: Int) async throws -> Int {
      let fixture = try await Fixture()
      let upload = NewUpload(
        UploadRecord(
          fileID: Self.fileID, userID: "ann", name: "", type: "", size: 9, createdAt: 900_000,
          expiresAt: 990_000, base: ""), secretHash: [1])
      let creation = UploadCreation(
        upload, limits: UploadLimits(unfinished: 5, perSecond: 2, perMinute: 9, byteCount: 1),
        olderFiles: OlderFiles(byteCount: 0, before: 800_000))
      return try await fixture.store.write { transaction in
        let connection = transaction.connection
        for number in 0..<count {
          try connection.execute(
            """
            INSERT INTO uploads (file_id, secret_hash, user_id, stage, name, type, size,
              created_at, expires_at, base)
            VALUES (?, ?, 'ann', 'cancelled', '', '', 1, 1, 990000, '')
            """, ["u\(number)", [UInt8]("\(number)".utf8)])
          try connection.execute(
            """
            INSERT INTO files (file_id, user_id, name, type, size, created_at)
            VALUES (?, 'ann', '', '', 1, 700000)
            """, ["f\(number)"])
        }
        return try connection.steps {
          let outcome = try creation.statements.run(transaction)
          #expect(outcome == .overQuota)
        }
      }
    }
    let few = try await steps(with: 20)
    #expect(try await steps(with: 2_000) < few + 100)
  }

  /// Counts the steps of look-ups of a file that many messages have, spread over some channels.
  private func fileSteps(
    messages: Int64, channels: Int64, _ body: @escaping @Sendable (ReadTransaction) throws -> Void
  ) async throws -> Int {
    let fixture = try await Fixture()
    return try await fixture.store.write { transaction in
      let connection = transaction.connection
      try connection.execute(
        """
        INSERT INTO files (file_id, user_id, name, type, size, created_at, key_id, file_keys)
        VALUES (?, 'ann', '', '', 1, 1, 'k', ?)
        """, [Self.fileID, [UInt8(1)]])
      for number in 1...channels {
        _ = try transaction.createChannel(Channel(url: "c\(number)", createdAt: 1), epoch: "e")
      }
      for number in 1...messages {
        try connection.execute(
          """
          INSERT INTO file_messages (message_id, file_id, channel_id)
          SELECT ?, ?, channel_id FROM channels WHERE url = ?
          """, [number, Self.fileID, "c\(number % channels + 1)"])
      }
      return try connection.steps { try body(ReadTransaction(connection: connection)) }
    }
  }

  @Test("a look-up of a file visits no channel, and that of a right only the given channels")
  func fileAccess() async throws {
    func steps(_ count: Int64, _ urls: [String]) async throws -> Int {
      try await fileSteps(messages: count, channels: count) { transaction in
        let access = try FileAccessLookup(Self.fileID, by: "ann").statements.run(transaction)
        #expect(access.ownerID == "ann")
        let right = FileRightLookup(Self.fileID, by: "bob", in: urls, at: 1)
        #expect(try right.statements.run(transaction) == .granted)
      }
    }
    let few = try await steps(10, ["c3", "absent"])
    #expect(try await steps(2_000, ["c3", "absent"]) < few + 20)
  }

  @Test("a right that a user lacks costs a visit of each channel, of at most a thousand")
  func missingRight() async throws {
    func steps(messages: Int64, channels: Int64) async throws -> Int {
      try await fileSteps(messages: messages, channels: channels) { transaction in
        let right = FileRightLookup(Self.fileID, by: "bob", in: ["lobby"], at: 1)
        let found = try right.statements.run(transaction)
        #expect(found == .absent)
      }
    }
    let few = try await steps(messages: 10, channels: 2)
    #expect(try await steps(messages: 2_000, channels: 2) < few + 20)
    let thousand = try await steps(messages: 1_000, channels: 1_000)
    #expect(try await steps(messages: 3_000, channels: 3_000) < thousand + thousand / 10)
  }

  @Test("a list of channels reads no group, and one of groups only the user's own")
  func groups() async throws {
    func steps(with count: Int) async throws -> [Int] {
      let fixture = try await Fixture()
      return try await fixture.store.write { transaction in
        for number in 0..<count {
          let group = Channel(
            url: "g\(number)", createdAt: 5, group: Group(createdBy: User(id: "ann")))
          _ = try transaction.createGroup(
            group, epoch: "e", inviting: number < 3 ? ["bob"] : [])
        }
        let reading = ReadTransaction(connection: transaction.connection)
        return [
          try transaction.connection.steps {
            let page = try transaction.listChannels(ChannelQuery(limit: 10))
            #expect(page.channels.map(\.url) == ["lobby"])
          },
          try transaction.connection.steps {
            let joined = try JoinedGroups(of: "bob").statements.run(reading)
            #expect(joined.urls == ["g0", "g1", "g2"])
          },
        ]
      }
    }
    let few = try await steps(with: 5)
    for (many, few) in zip(try await steps(with: 1_000), few) { #expect(many < few + 20) }
  }

  @Test("a member's right to a file that is in thousands of messages costs a few steps")
  func memberRight() async throws {
    func steps(with count: Int64) async throws -> Int {
      let fixture = try await Fixture()
      return try await fixture.store.write { transaction in
        let group = Channel(url: "den", createdAt: 5, group: Group(createdBy: User(id: "ann")))
        _ = try transaction.createGroup(group, epoch: "e", inviting: [])
        let id = try transaction.existingChannel("den").id
        for number in 1...count {
          _ = try transaction.append(
            NewMessage(
              channelID: id, id: number, userID: "ann", text: "m", createdAt: number))
          try transaction.connection.execute(
            "INSERT INTO file_messages (message_id, file_id, channel_id) VALUES (?, ?, ?)",
            [number, Self.fileID, id])
        }
        _ = try transaction.join("bob", "den", visibleFrom: count + 1, at: count + 1)
        let reading = ReadTransaction(connection: transaction.connection)
        return try transaction.connection.steps {
          let lookup = FileRightLookup(Self.fileID, by: "bob", in: ["lobby"], at: 1)
          let right = try lookup.statements.run(reading)
          #expect(right == .absent)
        }
      }
    }
    let few = try await steps(with: 10)
    #expect(try await steps(with: 2_000) < few + 20)
  }

  @Test("a page of a member's history reads nothing before it")
  func history() async throws {
    func steps(with count: Int64) async throws -> Int {
      let fixture = try await Fixture()
      return try await fixture.store.write { [lobby = fixture.lobby.id] transaction in
        for number in 1...count {
          _ = try transaction.append(
            NewMessage(
              channelID: lobby, id: number, userID: "ann", text: "m", createdAt: number))
        }
        var query = MessageQuery(
          channelID: lobby, anchor: .time(.max), previousLimit: 100,
          filter: .init(senderIDs: ["bob", "cy"]))
        query.visibleFrom = count - 5
        return try transaction.connection.steps {
          let found = try transaction.listMessages(query)
          #expect(found.isEmpty)
        }
      }
    }
    let few = try await steps(with: 20)
    #expect(try await steps(with: 2_000) < few + 20)
  }

  @Test("a list around a missing message does not scan the channel")
  func anchors() async throws {
    func steps(with count: Int64) async throws -> Int {
      let fixture = try await Fixture()
      return try await fixture.store.write { [lobby = fixture.lobby.id] transaction in
        for number in 1...count {
          _ = try transaction.append(
            NewMessage(
              channelID: lobby, id: 10 * number, userID: "ann", text: "m", createdAt: number))
        }
        let query = MessageQuery(
          channelID: lobby, anchor: .message(25), previousLimit: 1, nextLimit: 1)
        return try transaction.connection.steps {
          let page = try transaction.listMessages(query) { PageItem($0.message.id, byteCount: 1) }
          #expect(page.items == [20, 30])
        }
      }
    }
    let few = try await steps(with: 30)
    #expect(try await steps(with: 3_000) < 2 * few)
  }

  @Test("a ban scans only the bans that have ended")
  func restrictions() async throws {
    func steps(with count: Int64) async throws -> Int {
      let fixture = try await Fixture()
      return try await fixture.store.write { transaction in
        for number in 1...count {
          _ = try transaction.upsertUser("u\(number)", at: 1)
          try transaction.connection.execute(
            """
            INSERT INTO bans (channel_id, user_id, starts_at, ends_at, description)
            VALUES ((SELECT channel_id FROM channels), ?, 1, 99, '')
            """, ["u\(number)"])
        }
        return try transaction.connection.steps {
          _ = try transaction.ban(
            channelURL: "lobby", Restriction(userID: "ann", startsAt: 5, endsAt: 99))
        }
      }
    }
    let few = try await steps(with: 20)
    #expect(try await steps(with: 2_000) < few + 100)
  }
}

extension StoreConnection {
  /// Counts the steps of the statements of `body`: those at which SQLite may be interrupted, of which
  /// each turn of a loop has one at least.
  fileprivate func steps(_ body: () throws -> Void) throws -> Int {
    let database = try #require(session as? SQLiteSession).database
    let count = Count()
    sqlite3_progress_handler(
      database.handle, 1,
      { context in
        guard let context else { return 0 }
        Unmanaged<Count>.fromOpaque(context).takeUnretainedValue().value += 1
        return 0
      }, Unmanaged.passUnretained(count).toOpaque())
    defer { sqlite3_progress_handler(database.handle, 0, nil, nil) }
    try withExtendedLifetime(count) { try body() }
    return count.value
  }

  private final class Count {
    var value = 0
  }
}
