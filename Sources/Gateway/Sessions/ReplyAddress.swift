import ParleyProtocol

/// Where the reply to a call goes.
struct ReplyAddress: Sendable {
  let session: SessionReference
  let ticket: Session.Pipeline.Ticket
  /// `nil` for a notification, which gets no reply.
  let id: RPCIdentifier?
  /// Whether the call was paid for when it began; one that was not is charged when it is refused.
  let isPaid: Bool
  /// The bytes that the result may hold.
  var limit = Limits.answerByteCount
}

/// What a call came to: its result as a JSON text, or an error.
typealias CallOutcome = Result<[UInt8], ServiceError>

extension CallOutcome {
  /// The result of a call that has nothing to say: `{}`.
  static let empty = CallOutcome.success(Array("{}".utf8))
}

extension Node {
  /// Charges the session that repeated a send.
  func chargeRepetition(to address: ReplyAddress) {
    post(to: services.cluster.nodes[address.session.node]) { node in
      node.sessions[address.session.connection]?.chargeRepetition()
    }
  }

  /// Brings a reply to the session that waits for it.
  func reply(to address: ReplyAddress, _ outcome: CallOutcome) {
    let target = services.cluster.nodes[address.session.node]
    post(to: target) { node in
      node.sessions[address.session.connection]?.complete(address, outcome)
    }
  }
}
