internal import ClientTransport
internal import ParleyProtocol

/// A search for messages by their words, page by page.
///
/// It finds messages of open channels and of the user's groups. Servers without search
/// (``ServerFeatures/hasSearch``) refuse it, and each server refuses more than five pages a second.
public final class MessageSearchQuery: Sendable {
  private let params: MessageSearchQueryParams.Values
  private let core: ClientCore
  private let cursor = PagedReading()
  private let latest = Locked(SearchTotals())

  init(_ params: MessageSearchQueryParams.Values, _ core: ClientCore) {
    self.params = params
    self.core = core
  }

  /// Whether there may be another page.
  public var hasNext: Bool { cursor.hasNext }

  /// Whether a page is being loaded.
  public var isLoading: Bool { cursor.isLoading }

  /// The number of messages found on all pages, at most 1,000; 0 before the first page.
  public var totalCount: Int { latest.withLock(\.count) }

  /// Whether more messages than ``totalCount`` are or may be found.
  public var hasMoreThanTotalCount: Bool { latest.withLock(\.hasMore) }

  /// Whether the search of the latest page was incomplete.
  ///
  /// The server bounds the time of a page, and adds old messages to its index after an upgrade. Further pages, or the
  /// same search at a later time, may find more.
  public var isPartial: Bool { latest.withLock(\.isPartial) }

  /// Loads the next page; after a failure the same page can be loaded again.
  ///
  /// A page may have fewer messages than the limit, or none, although ``hasNext`` is true.
  ///
  /// - Returns: An empty list after the last page, and while another call is loading.
  /// - Throws: ``ParleyError/notFound(_:)`` for a group that the user has not joined;
  ///   ``ParleyError/refused(code:message:field:)`` with 400105 without a keyword.
  public func loadNextPage() async throws(ParleyError) -> [any BaseMessage] {
    try await cursor.next { [core, params, latest] (token) async throws(ParleyError) in
      let page = try await core.perform(core.messageCalls.search(params, token))
      latest.withLock { $0 = page.totals }
      return page.messages
    }
  }

  /// Loads the next page and calls back.
  ///
  /// - Parameter completionHandler: Called once, on the client's callback queue.
  public func loadNextPage(
    completionHandler: @escaping @Sendable ([any BaseMessage]?, ParleyError?) -> Void
  ) {
    core.start(handler: completionHandler) { [self] () async throws(ParleyError) in
      try await loadNextPage()
    }
  }
}

/// A page of found messages, and the numbers of the whole search.
struct FoundPage: Sendable {
  let messages: LoadedPage<any BaseMessage>
  let totals: SearchTotals
}

/// The number of messages that a search finds, and its limits.
struct SearchTotals: Sendable, Hashable {
  var count = 0
  var hasMore = false
  var isPartial = false
}

extension MessageCalls {
  func search(_ params: MessageSearchQueryParams.Values, _ token: String?) -> Call<FoundPage> {
    Call(
      "message.search", .safe,
      params: {
        params.write(into: &$0)
        if let token { $0.member("token", token) }
      },
      reading: { [reader] (node: JSONNode) throws(ParleyError) in
        FoundPage(
          messages: LoadedPage(
            items: try AnswerReader.list("messages", of: node, reader.message(_:)),
            next: try AnswerReader.text("next", of: node)),
          totals: SearchTotals(
            count: try AnswerReader.count("total_count", of: node),
            hasMore: node["total_more"]?.bool ?? false, isPartial: node["partial"]?.bool ?? false))
      })
  }
}

extension ParleyClient {
  /// Returns a search for messages, page by page.
  public func createMessageSearchQuery(params: MessageSearchQueryParams) -> MessageSearchQuery {
    MessageSearchQuery(params.values, core)
  }

  /// Returns a search for messages, page by page.
  ///
  ///     let query = client.createMessageSearchQuery { params in
  ///       params.keyword = "lunch"
  ///       params.channelURL = "lobby"
  ///     }
  public func createMessageSearchQuery(
    _ configure: (MessageSearchQueryParams) -> Void
  ) -> MessageSearchQuery {
    let params = MessageSearchQueryParams()
    configure(params)
    return createMessageSearchQuery(params: params)
  }
}
