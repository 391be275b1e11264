internal import ParleyProtocol

/// Reads a channel's messages from the first on, page by page.
struct MessageWalk {
  private static let pageSize = 200

  let client: PlatformClient
  let channel: ChannelArgument
  let filter: MessageFilterOptions

  /// Hands over the messages of each page, until there are no more or the filter's end is reached.
  func forEachPage(_ take: ([JSONNode]) throws -> Void) throws {
    var last: Int64?
    while true {
      let answer = try client.callPatiently(
        "\(channel.path)/messages", query: filter.query(after: last, limit: Self.pageSize))
      let root = try OutputOptions.root(of: answer)
      let page = root.list("messages")
      let wanted = page.prefix { isWanted($0) }
      try take(Array(wanted))
      guard wanted.count == page.count, root["has_next"]?.bool == true,
        let end = root["next_from"]?.integer, end != last
      else { return }
      last = end
    }
  }

  private func isWanted(_ message: JSONNode) -> Bool {
    guard let before = filter.before, let id = message["message_id"]?.integer else { return true }
    return id < before
  }
}
