import Channels
import ParleyProtocol
import PostgreSQL
import TestSupport
import Testing

@testable import Store

@Suite("Announcements in PostgreSQL", .onOwnThreads)
struct AnnouncementsTests {
  private func store(_ url: String) throws -> Store {
    var options = StoreOptions()
    options.sharing = .shared
    return try Store(.postgreSQL(url: url), options: options)
  }

  /// Reads what a cursor has not read.
  private func read(
    _ cursor: inout AnnouncementCursor, _ store: Store
  ) async throws -> [Announcement?] {
    let page = try await store.perform(cursor.next)
    guard case .entries(let entries) = cursor.take(page) else {
      Issue.record("nothing is missing")
      return []
    }
    return entries.map(\.announcement)
  }

  @Test("each change of data cached by all servers is announced with it, and no other change is")
  func announces() async throws {
    let store = try store(PostgreSQLDatabase.make())
    var cursor = AnnouncementCursor(after: try await store.perform(AnnouncementRead.newest))
    _ = try await store.perform(UserCreation(User(id: "ann"), at: 1))
    _ = try await store.perform(UserChange("ann", nickname: "Ann"))
    _ = try await store.perform(UserChange("ann", isActive: true))
    #expect(try await read(&cursor, store) == [])
    let general = LimitOverride(messages: 1, windowMilliseconds: 1)
    let parts = LimitChange.LimitParts(messages: 5, windowMilliseconds: 1000, general: general)
    _ = try await store.perform(LimitChange(.set([.flood: parts]), for: .deployment))
    _ = try await store.perform(LimitChange(.removeAll, for: .customType("x")))
    try await store.perform(APITokenIssue(APIToken(name: "a", hash: [1], createdAt: 1)))
    try await store.perform(APITokenRevocation(hash: [1]))
    _ = try await store.perform(SessionTokenRevocation(userID: "ann"))
    _ = try await store.perform(UserChange("ann", isActive: false, accessTokenHash: [7]))
    _ = try await store.perform(PreviewPurge(.all, announcing: "all"))
    _ = try await store.perform(UserDeletionStep("ann"))
    try await store.perform(OutboxRetry(askedServer: "s"))
    let eviction: (EvictionCause) -> Announcement = { .eviction(userID: "ann", $0) }
    #expect(
      try await read(&cursor, store) == [
        .limits, .limits, .apiTokens, .apiTokens, eviction(.sessionTokensRevoked),
        eviction(.deactivated), eviction(.accessTokenReplaced), .previewPurge(notice: "all"),
        eviction(.deleted), .webhookRetry(askedServer: "s"),
      ])
    #expect(try await read(&cursor, store) == [])
    #expect(try await store.perform(LastEviction(of: "ann")) == 9)
    #expect(try await store.perform(LastEviction(of: "bob")) == 0)
    // What is refused is not announced.
    await #expect(throws: StoreError.self) {
      try await store.perform(APITokenRevocation(hash: [1]))
    }
    #expect(try await read(&cursor, store) == [])
    store.close()
  }

  @Test("changes of several servers at once are read completely and once")
  func reads() async throws {
    let url = try PostgreSQLDatabase.make()
    let stores = try (0..<3).map { _ in try store(url) }
    for number in 0..<4 {
      _ = try await stores[0].perform(UserCreation(User(id: "user-\(number)"), at: 1))
    }
    var cursor = AnnouncementCursor(after: try await stores[0].perform(AnnouncementRead.newest))
    var count = 0
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in stores {
        for number in 0..<4 {
          group.addTask {
            for _ in 0..<25 {
              _ = try await store.perform(SessionTokenRevocation(userID: "user-\(number)"))
            }
          }
        }
      }
      for _ in 0..<40 { count += try await read(&cursor, stores[1]).count }
      try await group.waitForAll()
    }
    count += try await read(&cursor, stores[1]).count
    let connection = try PostgreSQLConnection(url)
    #expect(try connection.execute("SELECT count(*) FROM announcements").integer(0, 0) == 300)
    #expect(count == 300)
    for store in stores { store.close() }
  }

  @Test("old rows are removed, and a row of a later version is harmless")
  func removes() async throws {
    let url = try PostgreSQLDatabase.make()
    let store = try store(url)
    let connection = try PostgreSQLConnection(url)
    _ = try connection.execute(
      "INSERT INTO announcements (kind, body, created_at) VALUES ('limits', '', 1)")
    var cursor = AnnouncementCursor(after: try await store.perform(AnnouncementRead.newest))
    _ = try connection.execute(
      """
      INSERT INTO announcements (kind, body, created_at)
      VALUES ('weather', 'rain', (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
      """)
    _ = try await store.perform(LimitChange(.removeAll, for: .deployment))
    #expect(try await read(&cursor, store) == [nil, .limits])
    #expect(try connection.execute("SELECT count(*) FROM announcements").integer(0, 0) == 2)
    store.close()
  }
}
