import ParleyClient
import TestPeers

/// A server that neither slows senders down nor withholds or looks anything up.
let unlimited = [
  "--limits-flood-messages", "0",
  "--limits-user-flood-messages", "0", "--limits-throttle-messages", "0", "--unfurl-mode", "off",
]

extension ServerProcess {
  /// What a client connects to.
  var url: String { "ws://127.0.0.1:\(port)" }

  /// A client that is connected.
  func client(
    _ userID: String, configure: (inout ParleyClientConfiguration) -> Void = { _ in }
  ) async throws -> ParleyClient {
    try await connectedClient(to: url, userID, configure: configure)
  }
}

/// A client that is connected, patient enough for a slow machine.
func connectedClient(
  to url: String, _ userID: String, accessToken: String? = nil,
  configure: (inout ParleyClientConfiguration) -> Void = { _ in }
) async throws -> ParleyClient {
  var configuration = ParleyClientConfiguration(serverURL: url)
  configuration.requestTimeout = .seconds(120)
  configuration.connectTimeout = .seconds(120)
  configure(&configuration)
  let client = ParleyClient(configuration: configuration)
  try await client.connect(userID: userID, accessToken: accessToken)
  return client
}

extension ParleyClient {
  /// Creates a channel and enters it.
  func enterNewChannel(_ url: String = "lobby") async throws -> OpenChannel {
    let params = OpenChannelCreateParams(name: "Lobby", channelURL: url)
    let channel = try await createOpenChannel(params: params)
    try await channel.enter()
    return channel
  }

  /// Enters a channel that there is.
  func enterChannel(_ url: String = "lobby") async throws -> OpenChannel {
    let channel = try await openChannel(url: url)
    try await channel.enter()
    return channel
  }
}

extension OpenChannel {
  /// Every message of the channel, oldest first.
  func allMessages() async throws -> [any BaseMessage] {
    let params = MessageListParams()
    params.previousResultSize = 0
    params.nextResultSize = 200
    var all = try await messages(around: .timestamp(1), params: params)
    params.isInclusive = false
    while let last = all.last {
      let next = try await messages(around: .messageID(last.messageID), params: params)
      guard !next.isEmpty else { break }
      all += next
    }
    return all
  }
}

extension ParleyEvents.Iterator {
  /// Waits for the next event of which something can be made, passing over the others.
  mutating func first<Value>(_ what: (Element) -> Value?) async throws -> Value {
    while let event = await next() {
      if let value = what(event) { return value }
    }
    throw TestFailure("the events ended")
  }
}

extension OpenChannelEvent {
  /// The message that was sent.
  var received: (any BaseMessage)? {
    if case .messageReceived(let message) = self { message } else { nil }
  }

  /// The message that was changed.
  var updated: (any BaseMessage)? {
    if case .messageUpdated(let message) = self { message } else { nil }
  }
}

extension GroupChannelEvent {
  /// The message that was sent.
  var received: (any BaseMessage)? {
    if case .messageReceived(let message) = self { message } else { nil }
  }

  /// The message that was changed.
  var updated: (any BaseMessage)? {
    if case .messageUpdated(let message) = self { message } else { nil }
  }
}

extension ParleyEvent {
  /// The message that was sent to a group.
  var groupMessage: (GroupChannel, any BaseMessage)? {
    guard case .group(let group, .messageReceived(let message)) = self else { return nil }
    return (group, message)
  }

  /// The invited users and the inviter of an invitation to a group.
  var invitation: (GroupChannel, [User], inviter: User?)? {
    guard case .group(let group, .invitationReceived(let users, let inviter)) = self else {
      return nil
    }
    return (group, users, inviter)
  }

  /// What happened to the connection.
  var connection: ConnectionEvent? {
    if case .connection(let event) = self { event } else { nil }
  }

  /// Whether the session is open again.
  var reconnected: Bool? { connection == .reconnected ? true : nil }
}
