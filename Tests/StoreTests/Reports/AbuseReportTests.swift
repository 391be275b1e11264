import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

/// Keeps reports as they are.
private struct WholeReports: PageEncoder {
  func encode(_ report: AbuseReport) -> PageItem<AbuseReport> { PageItem(report, byteCount: 100) }
}

@Suite("Reports of messages, users and channels", .onEachDatabase, .onOwnThreads)
struct AbuseReportTests {
  private let fixture: Fixture
  private var store: Store { fixture.store }
  private let spam = AbuseReportReason(.spam, description: "buy")

  init() async throws {
    fixture = try await Fixture(
      options: StoreOptions(
        outbox: OutboxOptions(
          events: Set(EventName.posted), participantCount: { _ in 0 }, didQueue: { _ in })))
    for id in Int64(1)...4 { try await store.append(fixture.message(id, by: "bob", at: 10 * id)) }
  }

  private func report(
    _ subject: AbuseReportSubject, by reporterID: String? = "ann",
    _ reason: AbuseReportReason? = nil,
    in url: String = "lobby", kind: ChannelKind? = nil, visibleFrom: Int64 = 0, at time: Int64 = 100
  ) async throws -> AbuseReportAddition.Outcome {
    try await store.perform(
      AbuseReportAddition(
        AbuseReportDraft(channelURL: url, subject, reason ?? spam), by: reporterID,
        inChannelOf: kind, visibleFrom: visibleFrom, at: time))
  }

  private func kept(
    _ subject: AbuseReportSubject, by reporterID: String? = "ann", at time: Int64 = 100
  ) async throws -> AbuseReport {
    guard case .kept(let report, true, _) = try await report(subject, by: reporterID, at: time)
    else { throw StoreError.exists }
    return report
  }

  private func list(
    limit: Int = 100, token: String? = nil, _ select: (inout AbuseReportQuery) -> Void = { _ in }
  ) async throws -> ListPage<AbuseReport> {
    var query = AbuseReportQuery(limit: limit, token: token)
    select(&query)
    return try await store.perform(
      AbuseReportListing(query, as: WholeReports()), for: .server)
  }

  private func change(
    _ id: Int64, _ state: AbuseReportState, note: String? = nil, at time: Int64 = 200
  ) async throws -> AbuseReport {
    try await store.perform(AbuseReportChange(id, to: state, note: note, at: time)).report
  }

  @Test("a report has the message as it was, both users and the channel")
  func contents() async throws {
    let made = try await kept(.message(2))
    #expect(made.type == .message && made.state == .open && made.createdAt == 100)
    #expect(made.reason == spam && made.note == "" && made.closedAt == 0)
    #expect(made.reporter == User(id: "ann", nickname: "Ann"))
    #expect(made.offender == User(id: "bob", nickname: "Bob"))
    #expect(made.channel == ReportedChannel(url: "lobby", kind: .open, name: "Lobby"))
    #expect(made.message?.text == "hello" && made.message?.user?.nickname == "Bob")
    let id = fixture.lobby.id
    _ = try await store.write { transaction in
      _ = try transaction.updateMessage(2, channelID: id, MessageChanges(text: "other"), at: 150)
      return try transaction.deleteMessage(2, channelID: id, at: 160)
    }
    #expect(try await store.perform(AbuseReportLookup(made.id)) == made)
    #expect(try await list().items == [made])
  }

  @Test("a user has one report about a message, and one open report about a user or channel")
  func repetitions() async throws {
    for subject in [AbuseReportSubject.message(1), .user("bob"), .channel] {
      let first = try await kept(subject)
      let other = try await kept(subject, by: "cy")
      #expect(other.id > first.id)
      guard case .kept(first, isNew: false, _) = try await report(subject, at: 300) else {
        Issue.record("a repeated report was kept")
        continue
      }
      let closed = try await change(first.id, .dismissed)
      guard case .kept(let again, let isNew, _) = try await report(subject, at: 300) else {
        Issue.record("a report was refused")
        continue
      }
      #expect(isNew == (subject != .message(1)) && (again == closed) == !isNew)
      if isNew {
        await #expect(throws: StoreError.exists) { _ = try await change(first.id, .open) }
      }
    }
    #expect(try await kept(.channel, by: nil).id < kept(.channel, by: nil).id)
  }

  @Test("what does not exist, or was not visible, is refused")
  func missing() async throws {
    await #expect(throws: StoreError.notFound(.channel)) { try await report(.channel, in: "other") }
    await #expect(throws: StoreError.notFound(.channel)) {
      try await report(.channel, kind: .group)
    }
    await #expect(throws: StoreError.notFound(.message)) { try await report(.message(9)) }
    await #expect(throws: StoreError.notFound(.message)) {
      try await report(.message(1), visibleFrom: 11)
    }
    await #expect(throws: StoreError.noUser("dan")) { try await report(.user("dan")) }
    await #expect(throws: StoreError.noUser("dan")) { try await report(.channel, by: "dan") }
    await #expect(throws: StoreError.unstorableText) {
      try await report(.channel, AbuseReportReason(.spam, description: "a\0b"))
    }
    await #expect(throws: StoreError.notFound(.report)) { _ = try await change(9, .resolved) }
    await #expect(throws: StoreError.notFound(.report)) {
      _ = try await store.perform(AbuseReportLookup(.max))
    }
    #expect(try await list().items.isEmpty)
  }

  @Test("lists are newest first, with filters, and pages that end")
  func lists() async throws {
    var made: [AbuseReport] = []
    for id in Int64(1)...4 { made.append(try await kept(.message(id), at: 100 * id)) }
    made.append(try await kept(.user("bob"), at: 500))
    made.append(try await kept(.channel, at: 600))
    made[0] = try await change(made[0].id, .resolved, note: "done")
    #expect(made[0].closedAt == 200 && made[0].note == "done")
    made.reverse()
    #expect(try await list().items == made)
    var (found, token) = ([] as [AbuseReport], nil as String?)
    repeat {
      let page = try await list(limit: 2, token: token) { $0.state = .open }
      found += page.items
      token = page.next
    } while token != ""
    #expect(found == Array(made.dropLast()))
    #expect(try await list { $0.offenderID = "bob" }.items == Array(made.dropFirst()))
    #expect(try await list { ($0.type, $0.offenderID) = (.user, "bob") }.items == [made[1]])
    #expect(
      try await list { ($0.type, $0.channelURL) = (.channel, "lobby") }.items == [made[0]])
    #expect(
      try await list { ($0.type, $0.channelURL, $0.messageID) = (.message, "lobby", 4) }.items
        == [made[2]])
    #expect(try await list { ($0.start, $0.end) = (200, 400) }.items == Array(made[2...4]))
    await #expect(throws: StoreError.invalidPageToken) { try await list(token: "x") }
    await #expect(throws: StoreError.noUser("dan")) { try await list { $0.offenderID = "dan" } }
    await #expect(throws: StoreError.notFound(.message)) {
      try await list { ($0.type, $0.channelURL, $0.messageID) = (.message, "lobby", 9) }
    }
    await #expect(throws: StoreError.notFound(.channel)) {
      try await list { ($0.channelURL, $0.messageID, $0.kind) = ("lobby", 9, .group) }
    }
  }

  @Test("the reports of a deleted user lose its id and words, those about it show its id only")
  func deletedUsers() async throws {
    let made = try await kept(.message(1), by: "cy")
    for id in ["cy", "bob"] { _ = try await store.write { try $0.deleteUser(id) } }
    let left = try await store.perform(AbuseReportLookup(made.id))
    #expect(left.reporter == nil && left.reason.description == "")
    #expect(left.offender == User(id: "bob") && left.message?.user == User(id: "bob"))
  }

  @Test("beyond the limits, the report closed first makes room, and open ones never do")
  func limits() async throws {
    let first = try await kept(.channel)
    try await fill(Limits.reportCount - 1, by: "cy", first: 100)
    guard case .tooManyOfReporter = try await report(.channel, by: "cy") else {
      Issue.record("a user has too many open reports")
      return
    }
    guard case .tooMany = try await report(.user("bob")) else {
      Issue.record("there are too many open reports")
      return
    }
    #expect(try await store.perform(OpenAbuseReports()) == Limits.reportCount)
    _ = try await change(first.id, .dismissed)
    let later = try await kept(.user("bob"))
    await #expect(throws: StoreError.notFound(.report)) {
      _ = try await store.perform(AbuseReportLookup(first.id))
    }
    #expect(try await store.perform(AbuseReportExpiry(closedBefore: 1_000)) == 0)
    _ = try await change(later.id, .resolved, at: 300)
    #expect(try await store.perform(AbuseReportExpiry(closedBefore: 300)) == 0)
    #expect(try await store.perform(AbuseReportExpiry(closedBefore: 301)) == 1)
  }

  /// Adds open reports of a user about users that do not exist.
  private func fill(_ count: Int, by reporterID: String, first: Int) async throws {
    let channel = "{\"channel_url\":\"lobby\",\"channel_type\":\"open_channels\"}"
    try await store.write { transaction in
      for number in first..<(first + count) {
        try transaction.connection.execute(
          """
          INSERT INTO reports (type, channel_url, subject, reporter_id, state, category,
            custom_category, description, created_at, channel)
          VALUES ('user', 'lobby', ?, ?, 'open', 'spam', '', '', 1, ?)
          """, ["u\(number)", reporterID, channel])
      }
    }
  }

  @Test("each report is queued for webhooks once")
  func webhooks() async throws {
    _ = try await store.write { try $0.setWebhookReceivers(["http://a"]) }
    for _ in 0..<2 {
      for subject in [AbuseReportSubject.message(1), .user("bob"), .channel] {
        _ = try await report(subject)
      }
    }
    let kinds = try await store.read {
      try $0.connection.all(
        "SELECT kind FROM webhook_events WHERE kind LIKE '%:report' ORDER BY event_id", []
      ) { $0[0] as String }
    }
    #expect(kinds == ["message:report", "user:report", "channel:report"])
  }

  @Test("a message is kept without its additions and the profiles of its users")
  func evidence() {
    var message = Message(
      id: 1, channelURL: "lobby", user: User(id: "bob", nickname: "Bob"), text: "hello",
      mentionedUsers: [User(id: "cy", nickname: "Cy")], createdAt: 1)
    message.translations = ["de": "hallo"]
    let stored = message.storedInReport
    #expect(!stored.contains("Bob") && !stored.contains("Cy") && !stored.contains("hallo"))
    #expect(stored.contains("hello") && stored.contains("\"cy\""))
  }
}
