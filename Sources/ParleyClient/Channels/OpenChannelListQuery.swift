internal import ParleyProtocol

/// The order of a list of open channels.
public enum OpenChannelListOrder: String, Sendable, Hashable {
  /// Newest channels first.
  case created
  /// Those with the most participants first; then those without participants, newest first.
  case participants
  /// Those with the latest message first, exact to a minute; then those without messages, newest first.
  case latestMessage = "latest_message"
}

/// The filters and the order of a channel list.
public final class OpenChannelListQueryParams: Sendable {
  private let shared: SharedValues<Values>

  /// A part of the name, ignoring case; `nil` for all.
  public var channelNameFilter: String? {
    get { shared[\.channelNameFilter] }
    set { shared[\.channelNameFilter] = newValue }
  }

  /// A part of the URL; `nil` for all.
  public var channelURLFilter: String? {
    get { shared[\.channelURLFilter] }
    set { shared[\.channelURLFilter] = newValue }
  }

  /// The application-defined types; `nil` for all.
  public var customTypeFilter: [String]? {
    get { shared[\.customTypeFilter] }
    set { shared[\.customTypeFilter] = newValue }
  }

  /// Whether frozen channels are listed.
  public var includeFrozen: Bool {
    get { shared[\.includeFrozen] }
    set { shared[\.includeFrozen] = newValue }
  }

  /// Whether the listed channels are frozen; `nil` for both.
  public var frozenFilter: Bool? {
    get { shared[\.frozenFilter] }
    set { shared[\.frozenFilter] = newValue }
  }

  /// The order; newest channels first by default.
  public var order: OpenChannelListOrder {
    get { shared[\.order] }
    set { shared[\.order] = newValue }
  }

  /// The largest number of items on a page, 1 to 100.
  public var limit: Int {
    get { shared[\.limit] }
    set { shared[\.limit] = newValue }
  }

  /// Creates a query for all channels, 20 on a page.
  public init() {
    shared = SharedValues(Values())
  }

  /// A snapshot of the current values.
  var values: Values { shared.current }

  /// A snapshot of the values.
  struct Values: Sendable, Hashable {
    var channelNameFilter: String?
    var channelURLFilter: String?
    var customTypeFilter: [String]?
    var includeFrozen = true
    var frozenFilter: Bool?
    var order = OpenChannelListOrder.created
    var limit = 20

    func write(into writer: inout JSONWriter) {
      if let channelNameFilter { writer.member("name_contains", channelNameFilter) }
      if let channelURLFilter { writer.member("url_contains", channelURLFilter) }
      if let customTypeFilter { writer.member("custom_types", customTypeFilter) }
      if !includeFrozen { writer.member("show_frozen", false) }
      if let frozenFilter { writer.member("frozen", frozenFilter) }
      if order != .created { writer.member("order", order.rawValue) }
      writer.member("limit", limit)
    }
  }
}

/// A paged list of channels.
public final class OpenChannelListQuery: Sendable {
  private let params: OpenChannelListQueryParams.Values
  private let core: ClientCore
  private let cursor = PagedReading()

  init(_ params: OpenChannelListQueryParams.Values, _ core: ClientCore) {
    self.params = params
    self.core = core
  }

  /// Whether there may be another page.
  public var hasNext: Bool { cursor.hasNext }

  /// Whether a page is being loaded.
  public var isLoading: Bool { cursor.isLoading }

  /// Loads the next page; after a failure the same page can be loaded again.
  ///
  /// - Returns: An empty list after the last page, and while another call is loading.
  public func loadNextPage() async throws(ParleyError) -> [OpenChannel] {
    try await cursor.next { [core, params] (token) async throws(ParleyError) in
      try await core.perform(
        Self.call(params, token).map { page in
          LoadedPage(items: page.items.map(core.channel), next: page.next)
        })
    }
  }

  /// Loads the next page and calls back.
  ///
  /// - Parameter completionHandler: Called once, on the client's callback queue.
  public func loadNextPage(
    completionHandler: @escaping @Sendable ([OpenChannel]?, ParleyError?) -> Void
  ) {
    core.start(handler: completionHandler) { [self] () async throws(ParleyError) in
      try await loadNextPage()
    }
  }

  static func call(
    _ params: OpenChannelListQueryParams.Values, _ token: String?
  ) -> Call<LoadedPage<ChannelSnapshot>> {
    Call(
      "channel.list", .safe,
      params: {
        params.write(into: &$0)
        if let token { $0.member("token", token) }
      },
      reading: { (node: JSONNode) throws(ParleyError) in
        LoadedPage(
          items: try AnswerReader.list("channels", of: node, ChannelSnapshot.init(json:)),
          next: try AnswerReader.text("next", of: node))
      })
  }
}
