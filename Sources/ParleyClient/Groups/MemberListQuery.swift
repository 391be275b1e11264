internal import ParleyProtocol

/// The filters of a list of members.
public final class MemberListQueryParams: Sendable {
  private let shared: SharedValues<Values>

  /// The members to list.
  public var memberStateFilter: MemberStateFilter {
    get { shared[\.memberStateFilter] }
    set { shared[\.memberStateFilter] = newValue }
  }

  /// The largest number of items on a page, 1 to 100.
  public var limit: Int {
    get { shared[\.limit] }
    set { shared[\.limit] = newValue }
  }

  /// Creates a query for all members, 20 on a page.
  public init() {
    shared = SharedValues(Values())
  }

  /// A snapshot of the current values.
  var values: Values { shared.current }

  /// A snapshot of the values.
  struct Values: Sendable, Hashable {
    var memberStateFilter = MemberStateFilter.all
    var limit = 20

    func write(into writer: inout JSONWriter) {
      if memberStateFilter != .all { writer.member("member_state", memberStateFilter.rawValue) }
      writer.member("limit", limit)
    }
  }
}

/// The members to list.
public enum MemberStateFilter: String, Sendable, Hashable {
  /// Joined and invited members.
  case all
  /// Joined members.
  case joined
  /// Invited members.
  case invited
}

/// A paged list of the members of a group, in the order in which they were added.
public final class MemberListQuery: Sendable {
  private let channel: GroupChannel
  private let params: MemberListQueryParams.Values
  private let cursor = PagedReading()

  init(channel: GroupChannel, params: MemberListQueryParams.Values) {
    self.channel = channel
    self.params = params
  }

  /// Whether there may be another page.
  public var hasNext: Bool { cursor.hasNext }

  /// Whether a page is being loaded.
  public var isLoading: Bool { cursor.isLoading }

  /// Loads the next page; after a failure the same page can be loaded again.
  ///
  /// - Returns: An empty list after the last page, and while another call is loading.
  public func loadNextPage() async throws(ParleyError) -> [Member] {
    try await cursor.next { [channel, params] (token) async throws(ParleyError) in
      try await channel.core.perform(GroupCalls.members(channel.url, params, token))
    }
  }

  /// Loads the next page and calls back.
  ///
  /// - Parameter completionHandler: Called once, on the client's callback queue.
  public func loadNextPage(
    completionHandler: @escaping @Sendable ([Member]?, ParleyError?) -> Void
  ) {
    channel.core.start(handler: completionHandler) { [self] () async throws(ParleyError) in
      try await loadNextPage()
    }
  }
}
