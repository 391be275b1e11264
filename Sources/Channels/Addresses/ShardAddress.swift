package import ParleyProtocol

/// The address of a shard anywhere in the deployment.
package struct ShardAddress: Sendable, Hashable {
  /// 0 in a deployment of one server.
  package let server: UInt16
  package let shard: UInt16

  package init(server: UInt16 = 0, shard: UInt16) {
    self.server = server
    self.shard = shard
  }
}

/// The address of an HTTP request that awaits its answer, on the shard that has its connection.
package struct ExchangeAddress: Sendable {
  package let shard: ShardAddress
  package let connection: UInt64
  /// Counts the requests of the shard.
  package let number: UInt64
  /// The trace that the request belongs to; it is no part of the address.
  package let trace: CallTrace?

  package init(
    shard: ShardAddress, connection: UInt64, number: UInt64, trace: CallTrace? = nil
  ) {
    self.shard = shard
    self.connection = connection
    self.number = number
    self.trace = trace
  }
}

extension ExchangeAddress: Hashable {
  package static func == (a: Self, b: Self) -> Bool {
    a.number == b.number && a.connection == b.connection && a.shard == b.shard
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(shard)
    hasher.combine(connection)
    hasher.combine(number)
  }
}

/// The address of a question to several shards, on the shard that asks.
package struct PollAddress: Sendable, Hashable {
  package let shard: ShardAddress
  package let number: UInt64
  /// The index of the answer among those of the other shards.
  package let part: UInt16

  package init(shard: ShardAddress, number: UInt64, part: UInt16) {
    self.shard = shard
    self.number = number
    self.part = part
  }
}

/// The destination of an answer, for calls from sessions and from HTTP requests.
package enum CallAddress: Sendable, Hashable {
  case session(ReplyAddress)
  case exchange(ExchangeAddress)

  /// The trace of a call over HTTP; calls from sessions have none.
  package var trace: CallTrace? {
    switch self {
    case .session: nil
    case .exchange(let address): address.trace
    }
  }
}

extension SessionAddress {
  /// The shard that has the session.
  package var home: ShardAddress { ShardAddress(server: server, shard: shard) }
}
