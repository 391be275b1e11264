import Channels
import ParleyProtocol
import Reactor
import TestSupport
import Testing

@testable import Store

/// Encodes groups as their URLs, or as large items.
private struct URLEncoder: PageEncoder {
  var byteCount = 10

  func encode(_ group: ListedGroup) -> PageItem<String> {
    PageItem(group.state.channel.url, byteCount: byteCount)
  }
}

@Suite("Changes of a user's groups", .serialized, .onOwnThreads)
struct GroupChangesTests {
  private static let day: Int64 = 86_400_000

  private typealias Start = ChangeList.Start

  private func page(
    _ store: Store, _ start: ChangeList.Start, of userID: String, limit: Int = 100,
    at now: Int64 = SystemClock.unixMilliseconds, byteCount: Int = 10
  ) async throws -> GroupChangePage<String> {
    try await store.perform(
      GroupChanges(
        ofUser: userID, ChangeList(start, limit: limit), at: now,
        as: URLEncoder(byteCount: byteCount)), for: .server)
  }

  /// All pages of a list.
  private func all(
    _ store: Store, _ start: ChangeList.Start, of userID: String, limit: Int = 100
  ) async throws -> (updated: [String], departed: [String], token: String) {
    var (updated, departed, start) = ([] as [String], [] as [String], start)
    while true {
      let page = try await page(store, start, of: userID, limit: limit)
      updated += page.updated
      departed += page.departed
      guard page.hasMore else { return (updated, departed, page.token) }
      #expect(!(page.updated.isEmpty && page.departed.isEmpty))
      start = .token(page.token)
    }
  }

  private func token(_ store: Store, of userID: String) async throws -> Start {
    .token(try await store.read { try $0.changeToken(ofUser: userID) })
  }

  @Test("each kind of change is listed once, oldest first", arguments: [LogKind.sqlite])
  func kinds(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let store = try #require(fixture.store)
    let den = try #require(await fixture.create(inviting: ["bob", "dan"]).state?.place)
    let hut = try #require(await fixture.create("hut", inviting: ["bob"]).state?.place)
    let inn = try #require(await fixture.create("inn", inviting: ["bob"]).state?.place)
    try await fixture.post(["ann", "ann"], from: 1, to: den)
    let yesterday = SystemClock.unixMilliseconds - Self.day
    #expect(try await all(store, .time(yesterday), of: "bob").updated.count == 3)
    var start = try await token(store, of: "bob")
    func changes() async throws -> [String] {
      let found = try await all(store, start, of: "bob", limit: 1)
      start = .token(found.token)
      return found.updated + found.departed.map { "-\($0)" }
    }
    #expect(try await changes() == [])
    _ = await fixture.change(hut, .fields(ChannelChanges(name: "Hut")))
    try await fixture.post(["ann"], from: 3, to: den)
    #expect(try await changes() == ["hut", "den"])
    #expect(try await changes() == [])
    _ = await fixture.changeOwn(.markRead(upTo: nil), of: "bob", in: den)
    #expect(try await changes() == ["den"])
    // What changes nothing is not told, nor is another member's position.
    _ = await fixture.changeOwn(.markRead(upTo: nil), of: "bob", in: den)
    _ = await fixture.changeOwn(.markRead(upTo: nil), of: "ann", in: den)
    #expect(try await changes() == [])
    await fixture.delete(3, in: den)
    _ = await fixture.change(inn, .freeze(true))
    _ = await fixture.change(den, .join(userID: "dan", visibleFrom: 0, under: GroupRules()))
    #expect(try await changes() == ["inn", "den"])
    _ = await fixture.change(hut, .depart(["bob"], .left))
    _ = await fixture.change(den, .depart(["dan"], .left))
    #expect(try await changes() == ["den", "-hut"])
    try await fixture.post(["ann"], from: 9, to: hut)
    #expect(try await changes() == [])
    _ = await fixture.change(hut, .invite(["bob"], by: nil, under: GroupRules()))
    _ = await fixture.perform(.write(.remove(at: 30), inn))
    #expect(try await changes() == ["hut", "-inn"])
    let restriction = Restriction(userID: "bob", startsAt: 1, endsAt: 10_000)
    _ = await fixture.change(den, .restrict(.mute, restriction))
    #expect(try await changes() == ["den"])
    try await fixture.post(["ann"], from: 20, to: fixture.lobby)
    let rest = try await changes()
    #expect(rest == [])
  }

  /// The groups of a user, with all that a client may see of them.
  private func views(_ fixture: LogFixture, of userID: String) async throws -> [String: String] {
    var views: [String: String] = [:]
    for number in 0..<5 {
      guard let state = await fixture.state("group\(number)"),
        let member = state.members.first(where: { $0.user.id == userID })
      else { continue }
      views[state.channel.url] = "\(state.id) \(state.lastSeq) \(member)"
    }
    return views
  }

  @Test(
    "what random changes have changed is listed, and what is listed is true",
    arguments: [LogKind.sqlite, .postgreSQL], [1, 2, 3] as [UInt64])
  func random(_ kind: LogKind, _ seed: UInt64) async throws {
    let fixture = try await LogFixture(kind)
    let store = try #require(fixture.store)
    var random = SeededGenerator(seed: seed)
    var places: [String: LogChannel] = [:]
    let users = ["ann", "bob", "cy"]
    var tokens: [String: Start] = [:]
    var known: [String: [String: String]] = [:]
    for id in users { tokens[id] = try await token(store, of: id) }
    for step in Int64(1)...120 {
      let url = "group\(Int.random(in: 0..<5, using: &random))"
      let userID = users.randomElement(using: &random) ?? "ann"
      guard let place = places[url] else {
        places[url] = await fixture.create(url, inviting: ["bob"]).state?.place
        continue
      }
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1, 2: try await fixture.post(["ann"], from: step, to: place)
      case 3: _ = await fixture.change(place, .depart([userID], .left))
      case 4: _ = await fixture.change(place, .invite([userID], by: nil, under: GroupRules()))
      case 5:
        _ = await fixture.changeOwn(.hide(clearing: false, isArchived: true), of: userID, in: place)
      case 6: _ = await fixture.changeOwn(.unhide, of: userID, in: place)
      case _:
        _ = await fixture.perform(.write(.remove(at: 30), place))
        places[url] = nil
      }
      guard step.isMultiple(of: 4), let start = tokens[userID] else { continue }
      let (before, now) = (known[userID] ?? [:], try await views(fixture, of: userID))
      let found = try await all(
        store, start, of: userID, limit: Int.random(in: 1...4, using: &random))
      let changed = Set(now.keys.filter { now[$0] != before[$0] })
      #expect(changed.isSubset(of: found.updated))
      #expect(Set(before.keys).subtracting(now.keys).isSubset(of: found.departed))
      #expect(Set(found.updated).isSubset(of: now.keys))
      #expect(Set(found.departed).isDisjoint(with: now.keys))
      #expect(found.updated.count == Set(found.updated).count)
      (tokens[userID], known[userID]) = (.token(found.token), now)
    }
  }

  @Test("a change that is committed while pages are read is in a later list", arguments: [1, 2])
  func besideWriters(_ limit: Int) async throws {
    let fixture = try await LogFixture(.sqlite)
    let store = try #require(fixture.store)
    var places: [LogChannel] = []
    for number in 0..<12 {
      let created = await fixture.create("group\(number)", inviting: ["bob"])
      places.append(try #require(created.state?.place))
    }
    var start = try await token(store, of: "bob")
    var told: Set<String> = []
    // Each group changes a last time while bob reads.
    async let writing: Void = {
      for (index, place) in places.enumerated() {
        try await fixture.post(["ann", "ann"], from: Int64(2 * index + 1), to: place)
      }
    }()
    for _ in 0..<40 {
      let page = try await page(store, start, of: "bob", limit: limit)
      told.formUnion(page.updated)
      start = .token(page.token)
    }
    try await writing
    told.formUnion(try await all(store, start, of: "bob", limit: limit).updated)
    #expect(told.count == 12)
  }

  @Test("a page ends where an answer is full")
  func largeGroups() async throws {
    let fixture = try await LogFixture(.sqlite)
    let store = try #require(fixture.store)
    let start = try await token(store, of: "ann")
    for number in 0..<5 { _ = await fixture.create("group\(number)") }
    let page = try await page(store, start, of: "ann", byteCount: Limits.answerByteCount / 3)
    #expect(page.updated == ["group0", "group1"])
    #expect(page.hasMore)
    let rest = try await all(store, .token(page.token), of: "ann")
    #expect(rest.updated == ["group2", "group3", "group4"])
  }

  @Test("tokens of another user, damaged, too old and from before a restoration are refused")
  func tokens() async throws {
    let fixture = try await LogFixture(.sqlite)
    let store = try #require(fixture.store)
    _ = await fixture.create()
    guard case .token(let token) = try await token(store, of: "ann") else { return }
    let now = SystemClock.unixMilliseconds
    let refused: [(ChangeList.Start, String, Int64)] = [
      (.token(token), "bob", now), (.token(token + "x"), "ann", now), (.token("x"), "ann", now),
      (.token(token), "ann", now + 31 * Self.day), (.time(now - 31 * Self.day), "ann", now),
    ]
    for (start, userID, time) in refused {
      await #expect(throws: StoreError.invalidPageToken) {
        try await page(store, start, of: userID, at: time)
      }
    }
    #expect(try await page(store, .token(token), of: "ann", at: now + 29 * Self.day).updated == [])
    try await store.write { transaction in
      try transaction.connection.execute(
        "INSERT INTO meta (key, value) VALUES (?, ?)",
        [ChangeClock.floorRow, (SystemClock.unixMilliseconds + 100_000) * 1_000])
    }
    await #expect(throws: StoreError.invalidPageToken) {
      try await page(store, .token(token), of: "ann")
    }
  }

  @Test("departures are one row a user and group, go with the user, and after 30 days")
  func departures() async throws {
    let fixture = try await LogFixture(.sqlite)
    let store = try #require(fixture.store)
    let den = try #require(await fixture.create(inviting: ["bob", "cy"]).state?.place)
    for _ in 0..<3 {
      _ = await fixture.change(den, .depart(["bob"], .left))
      _ = await fixture.change(den, .invite(["bob"], by: nil, under: GroupRules()))
    }
    func rows() async throws -> [String] {
      try await store.read {
        try $0.connection.all("SELECT user_id FROM departures ORDER BY user_id", []) { $0[0] }
      }
    }
    #expect(try await rows() == ["bob"])
    _ = await fixture.perform(.write(.remove(at: 30), den))
    try await Deadline.standard.wait(for: "the purge") { try await rows() == ["ann", "bob", "cy"] }
    let hut = try #require(await fixture.create("hut", inviting: ["cy"]).state?.place)
    let later = SystemClock.unixMilliseconds + 31 * Self.day
    #expect(try await store.perform(DepartureExpiry(at: later, limit: 2)) == 2)
    #expect(try await store.perform(DepartureExpiry(at: later, limit: 2)) == 1)
    #expect(try await rows() == [])
    _ = await fixture.perform(.write(.change([.depart(["bob", "cy"], .left)], at: later), hut))
    #expect(try await store.perform(DepartureExpiry(at: SystemClock.unixMilliseconds)) == 0)
    #expect(try await rows() == ["cy"])
    try await store.write { try $0.connection.execute("DELETE FROM users WHERE user_id = 'cy'") }
    #expect(try await rows() == [])
  }
}
