internal import ParleyProtocol
internal import Synchronization

/// An open channel: everyone with its URL may come in, and sees what is said from then on.
///
/// A client has one object for each channel. Its properties are what the server showed last, and
/// are kept up to date by events while the channel is entered; otherwise ``refresh()`` does it.
public final class OpenChannel: Sendable, Identifiable {
  /// The name that the channel goes by: 4 to 100 characters, case-sensitive.
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
  /// The same as ``url``, under the name that messages have it by.
  public var channelURL: String { url }
  /// The name shown to people.
  public var name: String { snapshot.name }
  /// The address of a picture; empty when there is none.
  public var coverURL: String { snapshot.coverURL }
  /// The application's own; the server does not look inside.
  public var data: String { snapshot.data }
  /// The application's own name for this kind of channel.
  public var customType: String { snapshot.customType }
  /// Whether its messages are not kept.
  public var isEphemeral: Bool { snapshot.isEphemeral }
  /// Whether only operators and the Platform API may send.
  public var isFrozen: Bool { snapshot.isFrozen }
  /// The number of users in it.
  public var participantCount: Int { snapshot.participantCount }
  /// The users who may moderate it.
  public var operators: [User] { snapshot.operators }
  /// The longest text, in characters.
  public var maxMessageLength: Int { snapshot.maxMessageLength }
  /// Unix milliseconds.
  public var createdAt: Int64 { snapshot.createdAt }
  /// Whether this client has entered it.
  public var isEntered: Bool { core.channels.isEntered(url) }

  /// Whether that user is an operator.
  public func isOperator(userID: String) -> Bool {
    snapshot.operators.contains { $0.userID == userID }
  }

  /// The events in the channel from now on, for one consumer; see ``ParleyEvents``.
  public var events: ParleyEvents<OpenChannelEvent> { core.streams.events(ofChannel: url) }

  var snapshot: ChannelSnapshot { state.withLock { $0 } }

  func apply(_ change: SnapshotChange) {
    state.withLock { change.apply(to: &$0) }
  }
}

extension OpenChannel: Hashable {
  /// Whether both are the same object.
  public static func == (one: OpenChannel, other: OpenChannel) -> Bool { one === other }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

extension OpenChannel {
  /// Comes in: from now on the channel's events are delivered.
  ///
  /// After a lost connection the client enters again by itself and delivers what was missed. A user
  /// may be in 10 channels at once.
  ///
  /// - Throws: ``ParleyError/banned``; ``ParleyError/notFound(_:)`` when the channel was deleted.
  public func enter() async throws(ParleyError) {
    try await core.perform(entering)
  }

  /// The request to enter; the object must last until the answer marks it as entered.
  var entering: Call<Void> { ChannelCalls.enter(url).map(replace) }

  /// Goes out: no more events are delivered.
  public func exit() async throws(ParleyError) {
    try await core.perform(ChannelCalls.exit(url))
  }

  /// Fetches the channel's properties anew.
  public func refresh() async throws(ParleyError) {
    try await core.perform(ChannelCalls.get(url).map(replace))
  }

  /// Changes the channel; for its operators.
  public func update(params: OpenChannelUpdateParams) async throws(ParleyError) {
    try await core.perform(params.values) { ChannelCalls.update(url, $0).map(replace) }
  }

  /// Deletes the channel with its messages; for its operators.
  public func delete() async throws(ParleyError) {
    try await core.perform(ChannelCalls.delete(url))
  }

  /// Returns a query for the users in the channel, page by page.
  ///
  /// - Parameter limit: How many a page has at most, 1 to 100.
  public func createParticipantListQuery(limit: Int = 20) -> ParticipantListQuery {
    ParticipantListQuery(channel: self, limit: limit)
  }

  var replace: @Sendable (ChannelSnapshot) -> Void {
    { [self] in apply(.replaced($0)) }
  }
}

/// A channel as the server showed it at one moment.
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
