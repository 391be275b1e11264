/// A kind of channel, as named in messages and in the paths of the Platform API.
package enum ChannelKind: String, Sendable, CaseIterable {
  /// Users take part while they are there.
  case open = "open_channels"
  /// Users take part as members.
  case group = "group_channels"

  /// The member of a message that names the kind of its channel, as JSON.
  var messageMember: StaticString {
    switch self {
    case .open: #""channel_type":"open_channels""#
    case .group: #""channel_type":"group_channels""#
    }
  }
}
