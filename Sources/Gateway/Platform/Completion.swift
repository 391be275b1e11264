import Channels
import HTTP1
import ParleyProtocol
import ShardMessages
import Transport

/// The way to the answer of one call, which takes one answer, on any thread.
struct Completion: Sendable {
  let address: ExchangeAddress
  private let shards: ShardSet

  init(_ address: ExchangeAddress, _ shards: ShardSet) {
    self.address = address
    self.shards = shards
  }

  /// Answers with a body of JSON, or with a refusal.
  func callAsFunction(_ result: Result<[UInt8], ServiceError>) {
    shards.send(.exchange(address, result))
  }

  /// Answers with what is written of a value, or with a refusal.
  func callAsFunction<Value>(
    _ result: Result<Value, ServiceError>, _ encode: (Value, inout JSONWriter) -> Void
  ) {
    self(result.map { value in JSONWriter.bytes { encode(value, &$0) } })
  }

  /// Answers with what is written.
  func callAsFunction(_ encode: (inout JSONWriter) -> Void) {
    self(.success(JSONWriter.bytes(encode)))
  }

  /// Answers `{}` to a call that has nothing to say, or refuses it.
  func empty<Value>(_ result: Result<Value, ServiceError>) {
    self(result) { $1.object { _ in } }
  }

  func fail(_ error: ServiceError) { self(.failure(error)) }
}

extension HTTPResponse {
  /// The answer to a call: a body of JSON, or a refusal.
  init(_ outcome: CallOutcome) {
    switch outcome {
    case .success(let body):
      self.init(status: .ok, fields: ["Content-Type": "application/json"], body: body)
    case .failure(let error): self.init(refusing: error)
    }
  }
}

extension ExchangeAddress {
  /// The address of a request on a shard of this server.
  init(_ exchange: Exchange.ID, on shard: ShardHandle) {
    self.init(
      shard: shard.address, connection: exchange.connection.rawValue, number: exchange.number)
  }
}

extension Exchange.ID {
  /// The request on its shard.
  init(_ address: ExchangeAddress) {
    self.init(
      connection: ConnectionID(rawValue: address.connection), number: address.number)
  }
}
