/// An open channel, as its stored record says; who is in it at the moment is counted elsewhere.
package struct Channel: Sendable, Hashable {
  /// 4 to 100 characters of `[A-Za-z0-9_-]`.
  package var url: String
  package var name: String
  package var coverURL: String
  /// The application's own; the server does not look inside.
  package var data: String
  package var customType: String
  /// Whether its messages are not kept.
  package var isEphemeral: Bool
  /// Whether only operators and the Platform API may send.
  package var isFrozen: Bool
  package var operators: [User]
  /// Whatever the application keeps with the channel.
  package var metadata: [String: String]
  /// Unix milliseconds.
  package var createdAt: Int64

  package init(
    url: String, name: String = "", coverURL: String = "", data: String = "",
    customType: String = "", isEphemeral: Bool = false, isFrozen: Bool = false,
    operators: [User] = [], metadata: [String: String] = [:], createdAt: Int64
  ) {
    self.url = url
    self.name = name
    self.coverURL = coverURL
    self.data = data
    self.customType = customType
    self.isEphemeral = isEphemeral
    self.isFrozen = isFrozen
    self.operators = operators
    self.metadata = metadata
    self.createdAt = createdAt
  }
}
