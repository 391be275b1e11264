internal import ParleyProtocol
internal import Synchronization

/// An open channel: everyone with its URL may enter, and receives messages sent after that.
///
/// A client has one object for each channel. Its properties are the latest that the server sent.
/// Events keep them up to date while the client is in the channel; otherwise call ``refresh()``.
public final class OpenChannel: Sendable, Identifiable {
  /// The identifier of the channel: 4 to 100 characters, case-sensitive.
  public let url: String
  let core: ClientCore
  private let state: Mutex<ChannelSnapshot>

  init(_ snapshot: ChannelSnapshot, _ core: ClientCore) {
    url = snapshot.url
    self.core = core
    state = Mutex(snapshot)
  }

  deinit {
    core.channels.forget(url)
  }

  /// The same as ``url``.
  public var id: String { url }
  /// The same as ``url``, under the name that messages use.
  public var channelURL: String { url }
  /// The display name.
  public var name: String { snapshot.name }
  /// The address of a picture; empty when there is none.
  public var coverURL: String { snapshot.coverURL }
  /// Application-defined data; the server does not interpret it.
  public var data: String { snapshot.data }
  /// The application-defined channel type.
  public var customType: String { snapshot.customType }
  /// Whether the server does not store its messages.
  public var isEphemeral: Bool { snapshot.isEphemeral }
  /// Whether only operators and the Platform API may send.
  public var isFrozen: Bool { snapshot.isFrozen }
  /// The number of users in the channel.
  public var participantCount: Int { snapshot.participantCount }
  /// The users who may moderate the channel.
  public var operators: [User] { snapshot.operators }
  /// The maximum length of a text, in characters.
  public var maxMessageLength: Int { snapshot.maxMessageLength }
  /// In Unix milliseconds.
  public var createdAt: Int64 { snapshot.createdAt }
  /// Whether this client is in the channel.
  public var isEntered: Bool { core.channels.isEntered(url) }

  /// Returns whether a user is an operator.
  public func isOperator(userID: String) -> Bool {
    snapshot.operators.contains { $0.userID == userID }
  }

  /// The events of the channel from now on, for one consumer; see ``ParleyEvents``.
  public var events: ParleyEvents<OpenChannelEvent> { core.streams.events(ofChannel: url) }

  var snapshot: ChannelSnapshot { state.withLock { $0 } }

  func apply(_ change: SnapshotChange) {
    state.withLock { change.apply(to: &$0) }
  }
}

extension OpenChannel: Hashable {
  /// Compares the identity of two objects.
  public static func == (one: OpenChannel, other: OpenChannel) -> Bool { one === other }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

extension OpenChannel {
  /// Enters the channel: from now on the client delivers the channel's events.
  ///
  /// After a lost connection the client enters the channel again and delivers the missed events. A
  /// user may be in 10 channels at once.
  ///
  /// - Throws: ``ParleyError/banned``; ``ParleyError/notFound(_:)`` when the channel was deleted.
  public func enter() async throws(ParleyError) {
    try await core.perform(entering)
  }

  /// The request to enter; the object must live until the response marks it as entered.
  var entering: Call<Void> { ChannelCalls.enter(url).map(replace) }

  /// Leaves the channel: the client delivers no more events.
  public func exit() async throws(ParleyError) {
    try await core.perform(ChannelCalls.exit(url))
  }

  /// Fetches the current properties of the channel.
  public func refresh() async throws(ParleyError) {
    try await core.perform(ChannelCalls.get(url).map(replace))
  }

  /// Changes the channel; only operators may do this.
  public func update(params: OpenChannelUpdateParams) async throws(ParleyError) {
    try await core.perform(params.values) { ChannelCalls.update(url, $0).map(replace) }
  }

  /// Deletes the channel with its messages; only operators may do this.
  public func delete() async throws(ParleyError) {
    try await core.perform(ChannelCalls.delete(url))
  }

  /// Returns a query for the users in the channel, page by page.
  ///
  /// - Parameter limit: The maximum number of users on a page, 1 to 100.
  public func createParticipantListQuery(limit: Int = 20) -> ParticipantListQuery {
    ParticipantListQuery(channel: self, limit: limit)
  }

  var replace: @Sendable (ChannelSnapshot) -> Void {
    { [self] in apply(.replaced($0)) }
  }
}

/// The state of a channel as the server sent it.
struct ChannelSnapshot: Sendable, Hashable {
  var url: String
  var name: String
  var coverURL: String
  var data: String
  var customType: String
  var isEphemeral: Bool
  var isFrozen: Bool
  var participantCount: Int
  var operators: [User]
  var maxMessageLength: Int
  var createdAt: Int64

  init(json: JSONNode) throws(ParleyError) {
    self.init(
      try AnswerReader.resource { () throws(ResourceError) in try ChannelInfo(json: json) })
  }

  init(_ info: ChannelInfo) {
    let channel = info.channel
    url = channel.url
    name = channel.name
    coverURL = channel.coverURL
    data = channel.data
    customType = channel.customType
    isEphemeral = channel.isEphemeral
    isFrozen = channel.isFrozen
    participantCount = info.participantCount
    operators = channel.operators.map(User.init)
    maxMessageLength = info.maxMessageLength
    createdAt = channel.createdAt
  }
}
