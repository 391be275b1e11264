/// A user who is in a channel.
public struct Participant: Sendable, Hashable, Identifiable {
  /// The user.
  public let user: User
  /// Whether the user was an operator of the channel, as far as this client knew.
  public let isOperator: Bool

  /// The user's id.
  public var id: String { user.userID }
}
