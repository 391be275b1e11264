import Channels
import ParleyProtocol
import ShardMessages

/// The sends of a session to a channel, which keep their order.
///
/// When one of them was lost or has met no home, or the home is another, the others wait until it is
/// answered: on another way they could overtake it.
struct SendLane: Hashable {
  enum Progress {
    /// The first send is under way, or waits for a home; the others wait for it.
    case waiting
    /// The first send was answered; the others go on with the next repetitions.
    case goingOn
  }

  let session: SessionAddress
  let channelURL: String
}

extension PendingCalls.Call {
  /// The lane of a send; `nil` for another call.
  var lane: SendLane? {
    guard case .channel(let url, .command(.send, _, let reply)) = message else { return nil }
    return SendLane(session: reply.session, channelURL: url)
  }
}
