package import Channels
package import ParleyProtocol

/// A channel after a change.
package struct ChannelMutation: Sendable, Hashable {
  package var channel: Channel
  /// The event that tells of it; `nil` when nothing had to change.
  package var event: RecordedEvent?
}

/// What to change of a channel; `nil` leaves a field as it is.
package struct ChannelChanges: Sendable, Hashable {
  package var name: String?
  package var coverURL: String?
  package var data: String?
  package var customType: String?

  package init(
    name: String? = nil, coverURL: String? = nil, data: String? = nil, customType: String? = nil
  ) {
    self.name = name
    self.coverURL = coverURL
    self.data = data
    self.customType = customType
  }

  /// The channel with the changes made.
  func applied(to channel: Channel) -> Channel {
    var channel = channel
    if let name { channel.name = name }
    if let coverURL { channel.coverURL = coverURL }
    if let data { channel.data = data }
    if let customType { channel.customType = customType }
    return channel
  }
}
