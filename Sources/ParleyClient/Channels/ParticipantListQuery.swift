internal import ParleyProtocol

/// A paged list of the users in a channel, in the order in which they entered.
public final class ParticipantListQuery: Sendable {
  /// The largest number of items on a page, 1 to 100.
  public let limit: Int
  private let channel: OpenChannel
  private let cursor = PagedReading()

  init(channel: OpenChannel, limit: Int) {
    self.channel = channel
    self.limit = limit
  }

  /// Whether there may be another page.
  public var hasNext: Bool { cursor.hasNext }

  /// Whether a page is being loaded.
  public var isLoading: Bool { cursor.isLoading }

  /// Loads the next page; after a failure the same page can be loaded again.
  ///
  /// - Returns: An empty list after the last page, and while another call is loading.
  public func loadNextPage() async throws(ParleyError) -> [Participant] {
    try await cursor.next { [channel, limit] (token) async throws(ParleyError) in
      try await channel.core.perform(
        Self.call(channel.url, limit, token).map { page in
          let participants = page.items.map {
            Participant(user: $0, isOperator: channel.isOperator(userID: $0.userID))
          }
          return LoadedPage(items: participants, next: page.next)
        })
    }
  }

  /// Loads the next page and calls back.
  ///
  /// - Parameter completionHandler: Called once, on the client's callback queue.
  public func loadNextPage(
    completionHandler: @escaping @Sendable ([Participant]?, ParleyError?) -> Void
  ) {
    channel.core.start(handler: completionHandler) { [self] () async throws(ParleyError) in
      try await loadNextPage()
    }
  }

  static func call(_ url: String, _ limit: Int, _ token: String?) -> Call<LoadedPage<User>> {
    Call(
      "channel.participants", .safe,
      params: {
        $0.member("channel_url", url)
        $0.member("limit", limit)
        if let token { $0.member("token", token) }
      },
      reading: { (node: JSONNode) throws(ParleyError) in
        LoadedPage(
          items: try AnswerReader.users("participants", of: node),
          next: try AnswerReader.text("next", of: node))
      })
  }
}
