import Channels
import ParleyProtocol
import ShardMessages

/// The sends of a session to a channel, which keep their order.
///
/// When one of them was lost or has met no home, or the home is another, the others wait until it is
/// answered: on another way they could overtake it.
struct SendLane: Hashable {
  enum Progress: Equatable {
    /// No home has answered what was sent after a transmission: one send at a time is under way.
    case waiting(after: UInt64)
    /// A home has answered: when nothing is under way, all others follow on one way.
    case answered
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
