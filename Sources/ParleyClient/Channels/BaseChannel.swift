/// A channel of any kind.
///
/// The kinds are ``OpenChannel`` and ``GroupChannel``; test with `as?`. A client has one object for
/// each channel. Its properties are the latest that the server sent.
public protocol BaseChannel: AnyObject, Sendable, Hashable, Identifiable where ID == String {
  /// The client and the properties of the channel.
  var state: ChannelState { get }
}

extension BaseChannel {
  /// The identifier of the channel: 4 to 100 characters, case-sensitive.
  public var url: String { state.url }
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
  /// The users who may moderate the channel.
  public var operators: [User] { snapshot.operators }
  /// The maximum length of a text, in characters.
  public var maxMessageLength: Int { snapshot.maxMessageLength }
  /// In Unix milliseconds.
  public var createdAt: Int64 { snapshot.createdAt }

  /// Returns whether a user is an operator.
  public func isOperator(userID: String) -> Bool {
    snapshot.operators.contains { $0.userID == userID }
  }

  /// Compares the identity of two objects.
  public static func == (one: Self, other: Self) -> Bool { one === other }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }

  var core: ClientCore { state.core }

  var snapshot: ChannelSnapshot { state.snapshot }

  /// Replaces the properties with those of an answer.
  ///
  /// The closure retains the object, which must live until an answer marks it as entered.
  var replace: @Sendable (ChannelSnapshot) -> Void {
    { [self] in state.apply(.replaced($0)) }
  }
}
