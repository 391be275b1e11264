import Channels
import ShardMessages

extension Shard {
  /// Brings a reply to the session that waits for it.
  func reply(to address: ReplyAddress, _ outcome: CallOutcome) {
    send(.session(address.session, .complete(address, outcome)))
  }
}
