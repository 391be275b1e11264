import Channels

extension Shard {
  /// Charges the session that repeated a send.
  func chargeRepetition(to address: ReplyAddress) {
    post(toSession: address.session) { $0.chargeRepetition() }
  }

  /// Brings a reply to the session that waits for it.
  func reply(to address: ReplyAddress, _ outcome: CallOutcome) {
    post(toSession: address.session) { $0.complete(address, outcome) }
  }
}
