internal import ParleyProtocol
internal import Synchronization

/// Which channels to list.
public struct OpenChannelListQueryParams: Sendable, Hashable {
  /// A part of the name, whatever its case; `nil` for all.
  public var channelNameFilter: String?
  /// A part of the URL; `nil` for all.
  public var channelURLFilter: String?
  /// The application's own kinds; `nil` for all.
  public var customTypeFilter: [String]?
  /// The largest number of items on a page, 1 to 100.
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

/// The users in a channel, page by page, in the order in which they entered.
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

  /// Loads the next page; after a failure the same page can be loaded again.
  ///
  /// - Returns: Nothing behind the last page, and while another call is loading.
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

/// The position in a list that is read in pages.
final class PagedReading: Sendable {
  private enum State {
    /// The token of the next page; `nil` for the first.
    case ready(token: String?)
    case loading
    case ended
  }

  private let state = Mutex(State.ready(token: nil))

  /// Whether there may be another page.
  var hasNext: Bool {
    state.withLock { if case .ended = $0 { false } else { true } }
  }

  /// Loads the next page; after a failure the same page can be loaded again.
  ///
  /// - Returns: Nothing behind the last page, and while another call is loading.
  func next<Item: Sendable>(
    _ load: (_ token: String?) async throws(ParleyError) -> LoadedPage<Item>
  ) async throws(ParleyError) -> [Item] {
    guard let token = begin() else { return [] }
    do throws(ParleyError) {
      let page = try await load(token.value)
      state.withLock { $0 = page.next.isEmpty ? .ended : .ready(token: page.next) }
      return page.items
    } catch {
      state.withLock { $0 = .ready(token: token.value) }
      throw error
    }
  }

  /// The place to read from, unless there is none or somebody does already.
  private struct Place { let value: String? }

  private func begin() -> Place? {
    state.withLock {
      guard case .ready(let token) = $0 else { return nil }
      $0 = .loading
      return Place(value: token)
    }
  }
}

/// A part of a list, and the token of the next, which is empty at the end.
struct LoadedPage<Item: Sendable>: Sendable {
  let items: [Item]
  let next: String
}
