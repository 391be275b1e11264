internal import ParleyProtocol

/// The pages of a list of the user's groups that have been read.
struct GroupListing: Sendable {
  /// A token for the changes since before the first page was read; `nil` if there is none.
  let since: String?
  private var urls: Set<String> = []

  init(since: String?) {
    self.since = since
  }

  mutating func add(_ page: [String]) { urls.formUnion(page) }

  /// The URLs of changed groups that a message may have moved to a page that was read before.
  ///
  /// Messages of joined groups arrive as events.
  func risen(_ changed: [ChannelProperties]) -> [String] {
    changed.filter { $0.view.my?.state == .invited && !urls.contains($0.snapshot.url) }
      .map(\.snapshot.url)
  }
}

extension ClientCore {
  /// The largest number of groups that a list can be restricted to.
  private static let urlLimit = 100

  /// Requests a page of a list.
  func page(
    of source: GroupChannelListQuery.Source, _ token: String?
  ) async throws(ParleyError) -> LoadedPage<GroupChannel> {
    let coverage = groupCoverage
    return try await perform(
      groupCalls.list(source, token).map { [self] page in
        LoadedPage(items: listed(page.items, since: coverage), next: page.next)
      })
  }

  /// Waits until the connection receives the events of groups, at most as long as for an answer.
  ///
  /// A list that the server makes earlier lacks the groups that the user joins before the events begin.
  func awaitGroupEvents() async {
    guard engineConfiguration.receivesGroups, let ready = groupReadiness() else { return }
    let limit = engineConfiguration.requestTimeout
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask { for await _ in ready {} }
      tasks.addTask { try? await Task.sleep(for: limit) }
      await tasks.next()
      tasks.cancelAll()
    }
  }

  /// Lists the groups with an open invitation that have moved to an earlier page while the pages of a list
  /// were read: messages that move them do not arrive.
  func risen(
    in listing: GroupListing, _ params: GroupChannelListQueryParams.Values
  ) async throws(ParleyError) -> [GroupChannel] {
    var urls: [String] = []
    do throws(ParleyError) {
      urls = try await changedInvitations(in: listing)
    } catch {
      // Changes are kept for 30 days.
      guard case .refused(400_109, _, _) = error else { throw error }
    }
    if let wanted = params.channels.urls { urls.removeAll { !wanted.contains($0) } }
    var groups: [GroupChannel] = []
    while !urls.isEmpty {
      var some = params
      some.channels.urls = Array(urls.prefix(Self.urlLimit))
      some.channels.limit = Self.urlLimit
      groups += try await page(of: .mine(some), nil).items
      urls.removeFirst(min(urls.count, Self.urlLimit))
    }
    return groups
  }

  private func changedInvitations(in listing: GroupListing) async throws(ParleyError) -> [String] {
    guard var token = listing.since else { return [] }
    var urls: [String] = []
    while true {
      let page = try await performPatiently(
        groupCalls.changes(since: .token(token)), waiting: \.pauseOfCalls)
      urls += listing.risen(page.updated).filter { !urls.contains($0) }
      token = page.token
      guard page.hasMore else { break }
    }
    didReadGroupChanges(upTo: token)
    return urls
  }
}
