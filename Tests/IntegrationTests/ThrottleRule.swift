import ParleyProtocol
import TestSupport

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
    _ messages: [ListedMessage], for userID: String, _ viewer: Viewer
  ) -> (shown: [ListedMessage], withheld: [ListedMessage]) {
    var shown: [ListedMessage] = []
    var withheld: [ListedMessage] = []
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
