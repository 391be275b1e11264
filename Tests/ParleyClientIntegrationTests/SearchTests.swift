import ParleyClient
import TestPeers
import TestSupport
import Testing

extension ClientTests {
  @Suite("searches messages")
  struct SearchTests {
    @Test("page by page, in one channel and in all, in both orders and with conditions")
    func pages() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      #expect(ann.features?.hasSearch == true)
      let lobby = try await ann.enterNewChannel()
      for number in 1...5 { try await lobby.sendUserMessage("smart throttling \(number)") }
      let hall = try await ann.enterNewChannel("hall")
      try await hall.sendUserMessage("throttling smart")
      try await ann.awaitFound(6, "throttl")

      let query = ann.createMessageSearchQuery { params in
        params.keyword = "throttl"
        params.channelURL = "lobby"
        params.limit = 2
      }
      #expect(query.hasNext && query.totalCount == 0)
      var texts: [[String]] = []
      while query.hasNext {
        texts.append(try await query.loadNextPage().map(\.message))
        #expect(query.totalCount == 5 && !query.hasMoreThanTotalCount && !query.isPartial)
      }
      let numbers = texts.map { $0.compactMap { $0.last.flatMap { Int(String($0)) } } }
      #expect(numbers.filter { !$0.isEmpty } == [[5, 4], [3, 2], [1]])
      #expect(try await query.loadNextPage().isEmpty)

      let exact = MessageSearchQueryParams(keyword: "Smart THROTTLING")
      exact.exactMatch = true
      exact.order = .score
      exact.messageTimestampFrom = 1
      try await ann.awaitSearch()
      let found = ann.createMessageSearchQuery(params: exact)
      #expect(try await found.loadNextPage().count == 5)
      exact.messageTimestampTo = 2
      let early = ann.createMessageSearchQuery(params: exact)
      #expect(try await early.loadNextPage().isEmpty && !early.hasNext && early.totalCount == 0)

      let (counts, count) = AsyncStream.makeStream(of: Int?.self)
      exact.messageTimestampTo = nil
      exact.reverse = true
      exact.order = .timestamp
      try await ann.awaitSearch()
      ann.createMessageSearchQuery(params: exact).loadNextPage { messages, error in
        let isOldest = messages?.first?.message == "smart throttling 1"
        count.yield(error == nil && isOldest ? messages?.count : nil)
      }
      var results = counts.makeAsyncIterator()
      #expect(try #require(await results.next()) == 5)
      await #expect(throws: ParleyError.self) {
        try await ann.createMessageSearchQuery { _ in }.loadNextPage()
      }
    }
  }
}

extension ParleyClient {
  /// Waits until the user may search again: five searches a second are allowed.
  func awaitSearch() async throws {
    try await Task.sleep(for: .milliseconds(1_100))
  }

  /// Waits until a search finds this number of messages, which the index has moments after they were sent.
  func awaitFound(_ count: Int, _ keyword: String) async throws {
    try await Deadline.standard.wait(for: "\(count) messages with \(keyword)") {
      try await Task.sleep(for: .milliseconds(300))
      let query = createMessageSearchQuery { $0.keyword = keyword }
      _ = try await query.loadNextPage()
      return query.totalCount == count
    }
    try await awaitSearch()
  }
}
