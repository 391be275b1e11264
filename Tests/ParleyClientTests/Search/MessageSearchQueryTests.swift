import TestSupport
import Testing

@testable import ParleyClient

@Suite("A search for messages", .onOwnThreads)
struct MessageSearchQueryTests {
  private let calls = MessageCalls(
    reader: MessageReader(fileKeys: FileKeys(serverURL: "wss://a.b")))

  @Test("sends all given values, with the token of the page")
  func given() {
    let given = MessageSearchQueryParams(keyword: "\"smart thr", channelURL: "lobby")
    given.channelCustomType = "c"
    given.messageTimestampFrom = 5
    given.messageTimestampTo = 9
    given.order = .score
    given.reverse = true
    given.exactMatch = true
    given.limit = 50
    let call = calls.search(given.values, "t")
    #expect(call.request.method == "message.search")
    #expect(call.request.repeatability == .safe)
    #expect(
      params(call) == #"{"query":"\"smart thr","channel_url":"lobby","channel_custom_type":"c","#
        + #""from_ts":5,"to_ts":9,"order":"score","reverse":true,"exact_match":true,"limit":50,"#
        + #""token":"t"}"#)
  }

  @Test("omits values that are the default")
  func plain() {
    let call = calls.search(MessageSearchQueryParams(keyword: "lunch").values, nil)
    #expect(params(call) == #"{"query":"lunch","limit":20}"#)
  }

  @Test("reads the messages, the next page and the totals")
  func answers() throws {
    let call = calls.search(MessageSearchQueryParams(keyword: "hi").values, nil)
    let whole = #"{"messages":[\#(Sample.message())],"next":"t","total_count":1}"#
    let page = try call.outcome(.success(whole.json)).get()
    #expect(page.messages.items.map(\.messageID) == [7])
    #expect(page.messages.next == "t")
    #expect(page.totals == SearchTotals(count: 1))
    let cut = #"{"messages":[],"next":"","total_count":1000,"total_more":true,"partial":true}"#
    let totals = try call.outcome(.success(cut.json)).get().totals
    #expect(totals == SearchTotals(count: 1000, hasMore: true, isPartial: true))
  }

  @Test(
    "reports the missing member of the response",
    arguments: [
      (#"{"next":"","total_count":1}"#, "messages"), (#"{"messages":[],"total_count":1}"#, "next"),
      (#"{"messages":[],"next":"","total_count":-1}"#, "total_count"),
    ])
  func missing(answer: String, name: String) {
    let call = calls.search(MessageSearchQueryParams(keyword: "hi").values, nil)
    #expect(throws: ParleyError.malformedAnswer("'\(name)' is missing or of another type")) {
      try call.outcome(.success(answer.json)).get()
    }
  }

  @Test("has a first page and no totals before it was loaded, and can be repeated after a failure")
  func beginning() async {
    let client = ParleyClient(configuration: .init(serverURL: "ws://127.0.0.1:1"))
    let query = client.createMessageSearchQuery { $0.keyword = "hi" }
    await #expect(throws: ParleyError.notConnected) { try await query.loadNextPage() }
    #expect(query.hasNext && !query.isLoading)
    #expect(query.totalCount == 0 && !query.hasMoreThanTotalCount && !query.isPartial)
  }
}
