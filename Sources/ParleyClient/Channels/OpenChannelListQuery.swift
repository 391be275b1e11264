internal import ParleyProtocol

/// Which channels to list.
public struct OpenChannelListQueryParams: Sendable, Hashable {
  /// A part of the name, whatever its case; `nil` for all.
  public var channelNameFilter: String?
  /// A part of the URL; `nil` for all.
  public var channelURLFilter: String?
  /// The application's own kinds; `nil` for all.
  public var customTypeFilter: [String]?
  /// How many a page has at most, 1 to 100.
  public var limit = 20

  /// All channels, 20 at a time.
  public init() {}

  func write(into writer: inout JSONWriter) {
    if let channelNameFilter { writer.member("name_contains", channelNameFilter) }
    if let channelURLFilter { writer.member("url_contains", channelURLFilter) }
    if let customTypeFilter { writer.member("custom_types", customTypeFilter) }
    writer.member("limit", limit)
  }
}

/// Channels page by page, newest first.
public final class OpenChannelListQuery: Sendable {
  /// Which channels are listed.
  public let params: OpenChannelListQueryParams
  private let core: ClientCore
  private let cursor = PagedReading()

  init(_ params: OpenChannelListQueryParams, _ core: ClientCore) {
    self.params = params
    self.core = core
  }

  /// Whether there may be another page.
  public var hasNext: Bool { cursor.hasNext }

  /// Loads the next page; after a failure the same page can be loaded again.
  ///
  /// - Returns: Nothing behind the last page, and while another call is loading.
  public func loadNextPage() async throws(ParleyError) -> [OpenChannel] {
    try await cursor.next { [core, params] (token) async throws(ParleyError) in
      try await core.perform(
        Self.call(params, token).map { page in
          LoadedPage(items: page.items.map(core.channel), next: page.next)
        })
    }
  }

  static func call(
    _ params: OpenChannelListQueryParams, _ token: String?
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
