import Channels
import ParleyProtocol
import Search
import TestSupport
import Testing

@testable import Store

@Suite("Search among messages", .onEachDatabase, .onOwnThreads)
struct FoundMessagesTests {
  @Test("messages are found by words, beginnings, phrases, runs and names of files")
  func words() async throws {
    let fixture = try await Fixture()
    let texts = [
      "Smart throttling is smart", "throttle it", "Café au lait", "祝你新年快乐", "สวัสดีครับ", "ok 👍🏽",
      "ＷＩＤＥ", "NEAR(a b) * \" ^x:y & | ! < - >", "…", String(repeating: "x", count: 5_000),
      "a" + String(repeating: "\u{301}", count: 128),
    ]
    for (index, text) in texts.enumerated() {
      try await fixture.store.append(fixture.message(Int64(index + 1), text))
    }
    var file = fixture.message(20, "")
    file.type = .file
    file.file = MessageFile(url: "https://a.example/x", name: "Report 2026.pdf")
    try await fixture.store.append(file)
    try await fixture.indexAll()
    for (query, ids) in [
      ("throttl", [2, 1]), ("smart throttling", [1]), ("\"smart throttling\"", [1]),
      ("\"throttling smart\"", []), ("cafe", [3]), ("快", [4]), ("快乐", [4]), ("新年快", [4]),
      ("年乐", []),
      ("สวัส", [5]), ("👍", [6]), ("wide", [7]), ("near", [8]), ("NEAR(a", [8]), ("b* ^x:y", [8]),
      ("\"", []), ("!&|", []), (String(repeating: "x", count: 128), [10]), ("report pdf", [20]),
      ("a", [11, 8, 3]),
    ] as [(String, [Int64])] {
      #expect(try await fixture.found(query) == ids, "\(query)")
    }
    #expect(try await fixture.found("smart throttl", isExact: true) == [])
    #expect(try await fixture.found("smart throttling", isExact: true) == [1])
  }

  @Test("a search finds what reading all messages finds, on every page")
  func model() async throws {
    let fixture = try await Fixture()
    let words = ["ann", "bob", "Bobby", "été", "ete", "新年", "年快", "快", "👍", "x1", "x12", "…"]
    var random = SystemRandomNumberGenerator()
    var texts: [Int64: String] = [:]
    for id in Int64(1)...150 {
      let text = (0..<Int.random(in: 1...6, using: &random))
        .map { _ in words.randomElement(using: &random)! }.joined(
          separator: [" ", "", "-"].randomElement()!)
      texts[id] = text
      try await fixture.store.append(fixture.message(id, text))
    }
    try await fixture.indexAll()
    for _ in 0..<200 {
      let text = (0..<Int.random(in: 1...3, using: &random))
        .map { _ in words.randomElement(using: &random)! }.joined(separator: " ")
      let query = Bool.random(using: &random) ? text : "\"\(text)\""
      let matching = texts.filter { SearchQuery(query).matches(SearchedText(text: $0.value)) }
        .keys.sorted(by: >)
      var search = MessageSearch(query, limit: Int.random(in: 1...100, using: &random))
      var found: [Int64] = []
      repeat {
        let page = try await fixture.search(search)
        // A busy machine may count no further in the time of a search.
        #expect(page.hasMoreTotal || page.total == matching.count)
        found += page.items
        search.token = page.next.isEmpty ? nil : page.next
      } while search.token != nil
      #expect(found == matching, "\(query)")
    }
  }

  @Test("only open channels and joined groups are searched, groups from the visible history on")
  func visibility() async throws {
    let fixture = try await Fixture()
    let group = try await fixture.store.write { transaction in
      let channel = Channel(url: "g", createdAt: 1, group: Group(createdBy: User(id: "ann")))
      _ = try transaction.createGroup(channel, epoch: "e", inviting: ["bob"])
      return try #require(
        try transaction.connection.first(
          "SELECT channel_id FROM channels WHERE url = 'g'", []
        ) { $0[0] as Int64 })
    }
    try await fixture.store.write { transaction in
      _ = try transaction.join("cy", "g", visibleFrom: 3_000, at: 3_000)
    }
    for id in Int64(1)...4 {
      var message = fixture.message(id, "secret plan", at: id * 1_000)
      if id > 1 { message.channelID = group }
      try await fixture.store.write { [message] transaction in
        var new = message.unsequenced(in: message.channelID == group ? "g" : "lobby")
        new.isCounted = message.channelID == group
        _ = try transaction.connection.session.makeAppender(for: transaction.connection)
          .append(new, to: message.channel)
      }
    }
    try await fixture.indexAll()
    #expect(try await fixture.found("secret") == [4, 3, 2, 1])
    #expect(try await fixture.found("secret", by: "cy") == [4, 3, 1])
    #expect(try await fixture.found("secret", by: "dave") == [1])
    let all = try await fixture.search(MessageSearch("secret"), among: .all)
    #expect(all.items == [4, 3, 2, 1] && all.total == 4)
    let stranger = try await fixture.search(
      MessageSearch("secret"), among: .visible(toUser: "dave"))
    #expect(stranger.total == 1)
    let inGroup = MessageSearch("secret", channelURL: "g")
    #expect(try await fixture.search(inGroup, among: .visible(toUser: "cy")).items == [4, 3])
    for (url, user) in [("g", "dave"), ("none", "ann")] {
      await #expect(throws: StoreError.notFound(.channel)) {
        _ = try await fixture.search(
          MessageSearch("secret", channelURL: url), among: .visible(toUser: user))
      }
    }
    try await fixture.store.write { _ = try $0.depart(["cy"], from: "g", .left, at: 30) }
    #expect(try await fixture.found("secret", by: "cy") == [1])
  }

  @Test("filters, order and pages")
  func filters() async throws {
    let fixture = try await Fixture()
    for id in Int64(1)...9 {
      var message = fixture.message(
        id, id == 5 ? "cat cat cat" : "a cat and \(id) dogs",
        by: id.isMultiple(of: 2) ? "bob" : "ann",
        at: id * 10)
      message.customType = id > 6 ? "late" : ""
      try await fixture.store.append(message)
    }
    try await fixture.indexAll()
    func found(_ search: MessageSearch) async throws -> [Int64] {
      try await fixture.search(search).items
    }
    #expect(
      try await found(MessageSearch("cat", filter: .init(senderIDs: ["bob"])))
        == [8, 6, 4, 2])
    #expect(
      try await found(MessageSearch("cat", filter: .init(customTypes: ["late"])))
        == [9, 8, 7])
    #expect(try await found(MessageSearch("cat", filter: .init(from: 30, to: 50))) == [5, 4, 3])
    #expect(
      try await found(MessageSearch("cat", filter: .init(type: .admin))) == [])
    #expect(try await found(MessageSearch("cat", channelCustomType: "x")) == [])
    #expect(try await found(MessageSearch("cat", isReversed: true, limit: 3)) == [1, 2, 3])
    #expect(try await found(MessageSearch("cat", order: .score)).first == 5)
    for order in [SearchOrder.time, .score] {
      for isReversed in [false, true] {
        var search = MessageSearch("cat", order: order, isReversed: isReversed, limit: 4)
        let whole = try await found(MessageSearch("cat", order: order, isReversed: isReversed))
        var pages: [[Int64]] = []
        repeat {
          let page = try await fixture.search(search)
          #expect(page.total == 9)
          pages.append(page.items)
          search.token = page.next.isEmpty ? nil : page.next
        } while search.token != nil
        #expect(pages.map(\.count) == [4, 4, 1] && pages.flatMap(\.self) == whole)
      }
    }
    let half = Limits.answerByteCount / 2 - 4_096
    let full = try await fixture.search(MessageSearch("cat"), byteCount: half)
    #expect(full.items == [9, 8])
    #expect(try await found(MessageSearch("cat", token: full.next)).first == 7)
    await #expect(throws: StoreError.invalidPageToken) {
      _ = try await found(MessageSearch("dog", token: full.next))
    }
  }
}
