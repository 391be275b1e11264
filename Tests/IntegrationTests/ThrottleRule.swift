import ParleyProtocol
import TestPeers

/// Smart throttling in one line, as the protocol has it: slow, and plainly right.
struct ThrottleRule {
  enum Viewer {
    case participant
    case `operator`
  }

  let limit: Int
  /// Milliseconds.
  let window: Int64

  /// Parts a channel's messages into those that a viewer is shown and those that are withheld.
  ///
  /// - Parameter messages: Those since the viewer entered, in the channel's order.
  func split(
    _ messages: [ChannelMessage], for userID: String, _ viewer: Viewer
  ) -> (shown: [ChannelMessage], withheld: [ChannelMessage]) {
    var shown: [ChannelMessage] = []
    var withheld: [ChannelMessage] = []
    for message in messages {
      let recent = shown.count { $0.createdAt > message.createdAt - window }
      if message.authorID == userID || viewer == .operator || recent < limit {
        shown.append(message)
      } else {
        withheld.append(message)
      }
    }
    return (shown, withheld)
  }
}
