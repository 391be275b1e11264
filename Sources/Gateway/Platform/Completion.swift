import HTTP1
import ParleyProtocol
import Transport

/// The way to the answer of one call, which takes one answer, on any thread.
struct Completion: Sendable {
  private let shard: ShardHandle
  private let exchange: Exchange.ID

  init(_ exchange: Exchange.ID, on shard: Shard) {
    self.shard = shard.handle
    self.exchange = exchange
  }

  /// Answers with a body of JSON, or with a refusal.
  func callAsFunction(_ result: Result<[UInt8], ServiceError>) {
    let response =
      switch result {
      case .success(let body):
        HTTPResponse(status: .ok, fields: ["Content-Type": "application/json"], body: body)
      case .failure(let error): HTTPResponse(refusing: error)
      }
    shard.post { [exchange] shard in shard.transport.respond(response, to: exchange) }
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
