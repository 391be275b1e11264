package import ParleyProtocol

extension WireClient {
  /// Creates a channel.
  @discardableResult
  package func create(_ url: String) throws -> JSONNode {
    try call("channel.create") { $0.member("channel_url", url) }
  }

  /// Enters a channel, and returns the answer.
  @discardableResult
  package func enter(_ url: String) throws -> JSONNode {
    try call("channel.enter") { $0.member("channel_url", url) }
  }

  /// Sends a message and waits until it is durable.
  @discardableResult
  package func send(
    _ text: String, to url: String, requestID: String? = nil
  ) throws -> SentMessage {
    let id = try requestSend(text, to: url, requestID: requestID)
    return try SentMessage(reply(to: id).result.get())
  }

  /// Sends a message without waiting for the answer.
  package func requestSend(
    _ text: String, to url: String, requestID: String? = nil
  ) throws -> RPCIdentifier {
    try request("message.send") {
      $0.member("channel_url", url)
      $0.member("message", text)
      if let requestID { $0.member("req_id", requestID) }
    }
  }

  /// Changes a channel's name, which every participant learns of by `channel.changed`.
  package func rename(_ url: String, to name: String) throws {
    try call("channel.update") {
      $0.member("channel_url", url)
      $0.member("name", name)
    }
  }

  /// Waits for `channel.changed` with a name, and takes all events up to it.
  package func events(throughRenaming url: String, to name: String) throws -> [Event] {
    try events(through: "channel.changed") {
      $0.params?["channel_url"]?.string == url && $0.params?["channel"]?["name"]?.string == name
    }
  }

  /// All messages of a channel, oldest first.
  package func allMessages(in url: String) throws -> [ChannelMessage] {
    var all = try page(of: url) { $0.member("message_ts", 1) }
    // A page may be shorter than asked for when its time is up.
    while let last = all.last {
      let next = try page(of: url) {
        $0.member("message_id", last.id)
        $0.member("include", false)
      }
      guard !next.isEmpty else { break }
      all += next
    }
    return all
  }

  private static var pageSize: Int { 200 }

  private func page(
    of url: String, from place: (inout JSONWriter) -> Void
  ) throws -> [ChannelMessage] {
    let result = try call("message.list") {
      $0.member("channel_url", url)
      $0.member("prev_limit", 0)
      $0.member("next_limit", Self.pageSize)
      place(&$0)
    }
    return try (result["messages"]?.elements).map { try $0.map(ChannelMessage.init) } ?? []
  }
}
