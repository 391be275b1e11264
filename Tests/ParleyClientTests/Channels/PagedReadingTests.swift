import Testing

@testable import ParleyClient

@Suite("A paged list")
struct PagedReadingTests {
  @Test("requests each page with the token of the one before, until there is no token")
  func pages() async throws {
    let cursor = PagedReading()
    #expect(cursor.hasNext && !cursor.isLoading)
    let first = try await cursor.next { (token) async throws(ParleyError) in
      #expect(token == nil)
      return LoadedPage(items: [1, 2], next: "a")
    }
    #expect(first == [1, 2])
    #expect(cursor.hasNext)
    let second = try await cursor.next { (token) async throws(ParleyError) in
      #expect(token == "a")
      return LoadedPage(items: [3], next: "")
    }
    #expect(second == [3])
    #expect(!cursor.hasNext)
    let behind = try await cursor.next { (_) async throws(ParleyError) in
      LoadedPage(items: [4], next: "")
    }
    #expect(behind == [])
  }

  @Test("can request the same page again after a failure")
  func failure() async throws {
    let cursor = PagedReading()
    await #expect(throws: ParleyError.timedOut) {
      try await cursor.next { (_) async throws(ParleyError) -> LoadedPage<Int> in
        throw ParleyError.timedOut
      }
    }
    #expect(cursor.hasNext)
    let page = try await cursor.next { (token) async throws(ParleyError) in
      #expect(token == nil)
      return LoadedPage(items: [1], next: "")
    }
    #expect(page == [1])
  }

  @Test("returns an empty page to a call made while another page is loading")
  func twice() async throws {
    let cursor = PagedReading()
    let page = try await cursor.next { (_) async throws(ParleyError) in
      let inner = try await cursor.next { (_) async throws(ParleyError) in
        LoadedPage(items: [9], next: "")
      }
      #expect(inner == [])
      #expect(cursor.hasNext && cursor.isLoading)
      return LoadedPage(items: [1], next: "")
    }
    #expect(page == [1])
  }

  @Test("sends its filters, limit and token")
  func requests() {
    let given = OpenChannelListQueryParams()
    given.channelNameFilter = "lob"
    given.channelURLFilter = "by"
    given.customTypeFilter = ["c"]
    given.limit = 5
    given.includeFrozen = false
    #expect(
      params(OpenChannelListQuery.call(given.values, "t"))
        == #"{"name_contains":"lob","url_contains":"by","custom_types":["c"],"show_frozen":false,"#
        + #""limit":5,"token":"t"}"#)
    let frozen = OpenChannelListQueryParams()
    frozen.frozenFilter = true
    #expect(params(OpenChannelListQuery.call(frozen.values, nil)) == #"{"frozen":true,"limit":20}"#)
    let latest = OpenChannelListQueryParams()
    latest.order = .latestMessage
    #expect(
      params(OpenChannelListQuery.call(latest.values, nil))
        == #"{"order":"latest_message","limit":20}"#)
    #expect(
      params(ParticipantListQuery.call("lobby", 20, nil))
        == #"{"channel_url":"lobby","limit":20}"#)
  }
}
