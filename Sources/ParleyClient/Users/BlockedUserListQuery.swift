internal import ParleyProtocol

/// A paged list of the users whom the current user blocks, in the order of their ids.
public final class BlockedUserListQuery: Sendable {
  /// The largest number of items on a page, 1 to 100.
  public let limit: Int
  private let core: ClientCore
  private let cursor = PagedReading()

  init(limit: Int, _ core: ClientCore) {
    self.limit = limit
    self.core = core
  }

  /// Whether there may be another page.
  public var hasNext: Bool { cursor.hasNext }

  /// Whether a page is being loaded.
  public var isLoading: Bool { cursor.isLoading }

  /// Loads the next page; after a failure the same page can be loaded again.
  ///
  /// - Returns: An empty list after the last page, and while another call is loading.
  public func loadNextPage() async throws(ParleyError) -> [User] {
    try await cursor.next { [core, limit] (token) async throws(ParleyError) in
      try await core.perform(BlockCalls.blocked(limit, token))
    }
  }

  /// Loads the next page and calls back.
  ///
  /// - Parameter completionHandler: Called once, on the client's callback queue.
  public func loadNextPage(
    completionHandler: @escaping @Sendable ([User]?, ParleyError?) -> Void
  ) {
    core.start(handler: completionHandler) { [self] () async throws(ParleyError) in
      try await loadNextPage()
    }
  }
}
