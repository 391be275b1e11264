import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Exports", .onEachDatabase, .onOwnThreads)
struct ExportTests {
  /// Writes a number for each message.
  private struct Numbers: ExportEncoder {
    func append(_ row: FoundMessage, to bytes: inout [UInt8]) {
      bytes.append(contentsOf: "\(row.listed.message.id) ".utf8)
    }
  }

  private struct Names: ExportEncoder {
    func append(_ row: Account, to bytes: inout [UInt8]) {
      bytes.append(contentsOf: "\(row.user.id) ".utf8)
    }
  }

  private struct URLs: ExportEncoder {
    func append(_ row: ExportedChannel, to bytes: inout [UInt8]) {
      let url =
        switch row.content {
        case .open(let channel): channel.url
        case .group(let group): group.state.channel.url
        }
      bytes.append(contentsOf: "\(url) ".utf8)
    }
  }

  private func words(_ page: ExportPage) -> [String] {
    String(decoding: page.bytes, as: UTF8.self).split(separator: " ").map(String.init)
  }

  /// All rows, read in pages.
  private func all<Query: StoreQuery>(
    _ fixture: Fixture, _ query: (ExportPosition?) -> Query
  ) async throws -> [String] where Query.Outcome == ExportPage {
    var found: [String] = []
    var position: ExportPosition?
    for _ in 0..<100 {
      let page = try await fixture.store.perform(query(position), for: .server)
      found += words(page)
      if page.isLast { return found }
      // A position is kept as text.
      position = ExportPosition(page.position.text)
      #expect(position == page.position)
    }
    return found
  }

  private func messages(
    _ fixture: Fixture, _ filter: ExportFilter, pageSize: Int = 1
  ) async throws -> [String] {
    try await all(fixture) {
      ExportedMessages(filter, after: $0, size: ExportPageSize(rowCount: pageSize), as: Numbers())
    }
  }

  private func makeStore(_ count: Int64 = 450) async throws -> Fixture {
    let fixture = try await Fixture()
    for id in Int64(1)...count {
      fixture.store.append(fixture.message(id, at: 1_000 + id)) { _ in }
    }
    try await fixture.store.write { _ in }
    return fixture
  }

  @Test("messages are read once each, in pages, of all channels and of named ones")
  func completeness() async throws {
    let fixture = try await makeStore()
    let expected = (1...450).map(String.init)
    #expect(try await messages(fixture, ExportFilter()) == expected)
    var filter = ExportFilter()
    filter.channelURLs = ["missing", "lobby"]
    #expect(try await messages(fixture, filter) == expected)
    filter.channelURLs = []
    filter.excludedChannelURLs = ["lobby"]
    #expect(try await messages(fixture, filter) == [])
  }

  @Test("times are inclusive on both sides, with and without a channel")
  func times() async throws {
    let fixture = try await makeStore(20)
    for urls in [[], ["lobby"]] {
      var filter = ExportFilter()
      filter.channelURLs = urls
      (filter.start, filter.end) = (1_005, 1_007)
      #expect(try await messages(fixture, filter) == ["5", "6", "7"])
      (filter.start, filter.end) = (1_021, nil)
      #expect(try await messages(fixture, filter) == [])
    }
  }

  @Test("messages that come after the beginning are left out")
  func snapshot() async throws {
    let fixture = try await makeStore(300)
    for urls in [[], ["lobby"]] {
      var filter = ExportFilter()
      filter.channelURLs = urls
      let size = ExportPageSize(rowCount: 1)
      let first = try await fixture.store.perform(
        ExportedMessages(filter, after: nil, size: size, as: Numbers()), for: .server)
      #expect(!first.isLast)
      let id: Int64 = urls.isEmpty ? 301 : 302
      try await fixture.store.append(fixture.message(id, at: 1_000 + id))
      let rest = try await fixture.store.perform(
        ExportedMessages(filter, after: first.position, as: Numbers()), for: .server)
      #expect(rest.isLast)
      let last = urls.isEmpty ? 300 : 301
      #expect(words(first) + words(rest) == (1...last).map(String.init))
    }
  }

  @Test("senders are chosen and left out; admin messages have none")
  func senders() async throws {
    let fixture = try await Fixture()
    for id in Int64(1)...4 {
      var message = fixture.message(id, at: id)
      if id == 2 { message.userID = nil }
      if id == 3 { message.userID = "bob" }
      try await fixture.store.append(message)
    }
    let author = try #require(fixture.message(1, at: 1).userID)
    var filter = ExportFilter()
    filter.senderIDs = [author]
    #expect(try await messages(fixture, filter) == ["1", "4"])
    filter = ExportFilter()
    filter.excludedSenderIDs = [author]
    #expect(try await messages(fixture, filter) == ["2", "3"])
  }

  @Test("users and channels are read once each")
  func others() async throws {
    let fixture = try await Fixture()
    let known = try await all(fixture) {
      ExportedUsers(ExportFilter(), after: $0, as: Names())
    }
    for number in 0..<250 {
      let user = User(id: "user-\(number)", nickname: "", profileURL: "", metadata: [:])
      try await fixture.store.perform(UserCreation(user, accessTokenHash: nil, at: 5))
    }
    let users = try await all(fixture) {
      ExportedUsers(
        ExportFilter(), after: $0, size: ExportPageSize(rowCount: 1), as: Names())
    }
    #expect(users.sorted() == (known + (0..<250).map { "user-\($0)" }).sorted())
    var filter = ExportFilter()
    filter.userIDs = ["user-7"]
    #expect(
      try await all(fixture) { ExportedUsers(filter, after: $0, as: Names()) } == ["user-7"])
    let channels = try await all(fixture) {
      ExportedChannels(
        ExportFilter(), after: $0, showingReadReceipts: true, at: 1, as: URLs())
    }
    #expect(channels.contains("lobby") && Set(channels).count == channels.count)
  }
}
