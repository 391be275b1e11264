internal import ClientTransport

/// A paged list of groups.
///
/// Its groups are the client's only objects for them, which events keep up to date afterwards.
public final class GroupChannelListQuery: Sendable {
  private let source: Source
  private let core: ClientCore
  private let cursor = PagedReading()
  private let listing = Locked(GroupListing(since: nil))

  /// The groups among which a list chooses.
  enum Source: Sendable, Hashable {
    case mine(GroupChannelListQueryParams.Values)
    case publicGroups(ListedGroups)

    /// The filters of all lists.
    var channels: ListedGroups {
      switch self {
      case .mine(let params): params.channels
      case .publicGroups(let channels): channels
      }
    }
  }

  init(_ source: Source, _ core: ClientCore) {
    self.source = source
    self.core = core
  }

  /// Whether there may be another page.
  public var hasNext: Bool { cursor.hasNext }

  /// Whether a page is being loaded.
  public var isLoading: Bool { cursor.isLoading }

  /// Loads the next page; after a failure the same page can be loaded again.
  ///
  /// The last of several pages of the user's groups also has those with an open invitation that a message has
  /// moved to an earlier page.
  ///
  /// - Returns: An empty list after the last page, and while another call is loading.
  public func loadNextPage() async throws(ParleyError) -> [GroupChannel] {
    try await cursor.next { (token) async throws(ParleyError) in try await load(token) }
  }

  private func load(_ token: String?) async throws(ParleyError) -> LoadedPage<GroupChannel> {
    guard case .mine(let params) = source else { return try await core.page(of: source, token) }
    if token == nil {
      await core.awaitGroupEvents()
      let begun = core.groupListing()
      listing.withLock { $0 = begun }
    }
    let page = try await core.page(of: source, token)
    let known = listing.withLock { listing in
      listing.add(page.items.map(\.url))
      return listing
    }
    guard page.next.isEmpty, token != nil else { return page }
    return LoadedPage(items: page.items + (try await core.risen(in: known, params)), next: "")
  }

  /// Loads the next page and calls back.
  ///
  /// - Parameter completionHandler: Called once, on the client's callback queue.
  public func loadNextPage(
    completionHandler: @escaping @Sendable ([GroupChannel]?, ParleyError?) -> Void
  ) {
    core.start(handler: completionHandler) { [self] () async throws(ParleyError) in
      try await loadNextPage()
    }
  }
}

extension ParleyClient {
  /// Returns a query for the groups of the current user, page by page.
  public func createMyGroupChannelListQuery(
    params: GroupChannelListQueryParams = GroupChannelListQueryParams()
  ) -> GroupChannelListQuery {
    GroupChannelListQuery(.mine(params.values), core)
  }

  /// Returns a query for the groups of the current user, page by page.
  ///
  ///     let query = client.createMyGroupChannelListQuery { params in
  ///       params.unreadChannelFilter = .unreadMessage
  ///     }
  public func createMyGroupChannelListQuery(
    _ configure: (GroupChannelListQueryParams) -> Void
  ) -> GroupChannelListQuery {
    let params = GroupChannelListQueryParams()
    configure(params)
    return createMyGroupChannelListQuery(params: params)
  }

  /// Returns a query for all public groups, page by page, newest first.
  public func createPublicGroupChannelListQuery(
    params: PublicGroupChannelListQueryParams = PublicGroupChannelListQueryParams()
  ) -> GroupChannelListQuery {
    GroupChannelListQuery(.publicGroups(params.values), core)
  }

  /// Returns a query for all public groups, page by page, newest first.
  public func createPublicGroupChannelListQuery(
    _ configure: (PublicGroupChannelListQueryParams) -> Void
  ) -> GroupChannelListQuery {
    let params = PublicGroupChannelListQueryParams()
    configure(params)
    return createPublicGroupChannelListQuery(params: params)
  }
}
