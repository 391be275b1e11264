package import ParleyProtocol

/// Names a call that a session has begun, so that its reply finds the place that is kept for it.
package struct CallTicket: Hashable, Sendable {
  /// Counts the requests of the session; a batch is one request.
  package let unit: Int
  /// The place of the call in its batch.
  package let index: Int

  package init(unit: Int, index: Int) {
    self.unit = unit
    self.index = index
  }

  /// Whether the ticket is that of one of several messages that a call sends.
  package var isPart: Bool { index < 0 }
}

/// The destination of the reply to a session's call.
package struct ReplyAddress: Hashable, Sendable {
  package let session: SessionAddress
  package let ticket: CallTicket
  /// `nil` for a notification, which gets no reply.
  package let id: RPCIdentifier?
  /// Whether the call was paid for when it began; one that was not is charged when it is refused.
  package let isPaid: Bool
  /// The bytes that the result may hold.
  package let limit: Int

  package init(
    session: SessionAddress, ticket: CallTicket, id: RPCIdentifier?, isPaid: Bool,
    limit: Int = Limits.answerByteCount
  ) {
    self.session = session
    self.ticket = ticket
    self.id = id
    self.isPaid = isPaid
    self.limit = limit
  }
}

/// The outcome of a call: its result as a JSON text, or an error.
package typealias CallOutcome = Result<[UInt8], ServiceError>

extension CallOutcome {
  /// The result of a call that returns nothing: `{}`.
  package static let empty = CallOutcome.success(Array("{}".utf8))
}

/// Names a session anywhere in the deployment, by its server, its event loop there and its
/// connection.
package struct SessionAddress: Hashable, Sendable {
  package let server: UInt16
  package let shard: UInt16
  /// The number that the shard gave the connection; no other connection of the shard ever has it.
  package let connection: UInt64

  /// - Parameter server: 0 in a deployment of one server.
  package init(server: UInt16 = 0, shard: UInt16, connection: UInt64) {
    self.server = server
    self.shard = shard
    self.connection = connection
  }
}
