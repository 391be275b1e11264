package import ParleyProtocol

/// Identifies a call of a session, so that its reply takes the place reserved for it.
package struct CallTicket: Hashable, Sendable {
  /// Counts the requests of the session; a batch is one request.
  package let unit: Int
  /// The index of the call in its batch.
  package let index: Int

  package init(unit: Int, index: Int) {
    self.unit = unit
    self.index = index
  }

  /// Whether the ticket belongs to one of several messages that a call sends.
  package var isPart: Bool { index < 0 }
}

/// The destination of the reply to a session's call.
package struct ReplyAddress: Hashable, Sendable {
  package let session: SessionAddress
  package let ticket: CallTicket
  /// `nil` for a notification, which gets no reply.
  package let id: RPCIdentifier?
  /// Whether the call was paid for when it began; an unpaid call is charged if it is refused.
  package let isPaid: Bool
  /// The maximum size of the result in bytes.
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

/// The address of a session anywhere in the deployment: its server, its event loop there and its
/// connection.
package struct SessionAddress: Hashable, Sendable {
  package let server: UInt16
  package let shard: UInt16
  /// The number that the shard assigned to the connection; never reused on that shard.
  package let connection: UInt64

  /// - Parameter server: 0 in a deployment of one server.
  package init(server: UInt16 = 0, shard: UInt16, connection: UInt64) {
    self.server = server
    self.shard = shard
    self.connection = connection
  }
}
