import ParleyClient
import TestPeers

/// The one call of a handler.
final class Answer<Value: Sendable>: Sendable {
  private let stream: AsyncStream<(Value?, ParleyError?)>
  private let continuation: AsyncStream<(Value?, ParleyError?)>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func give(_ value: Value?, _ error: ParleyError?) {
    continuation.yield((value, error))
  }

  /// Waits for the call; fails when it brings an error.
  var value: Value {
    get async throws {
      let (value, error) = try await pair
      if let error { throw error }
      guard let value else { throw TestFailure("a handler got neither a value nor an error") }
      return value
    }
  }

  /// Waits for the call.
  var pair: (value: Value?, error: ParleyError?) {
    get async throws {
      for await call in stream { return call }
      throw TestFailure("a handler was not called")
    }
  }
}

extension Answer where Value == Bool {
  /// Takes the call of a handler that gets an error only.
  func give(_ error: ParleyError?) {
    give(error == nil ? true : nil, error)
  }
}
