internal import ParleyProtocol
internal import ClientTransport

/// A request of the protocol, and the function that parses its result.
///
/// The result is parsed on the engine's thread, in order with the events before and after it.
struct Call<Value: Sendable>: Sendable {
  let request: EngineCall
  let read: @Sendable (JSONNode) throws(ParleyError) -> Value

  init(
    _ method: String, _ repeatability: Repeatability, _ effect: ChannelEffect? = nil,
    timeout: Int64? = nil, params: (inout JSONWriter) -> Void,
    reading read: @escaping @Sendable (JSONNode) throws(ParleyError) -> Value
  ) {
    request = EngineCall(
      method: method, params: JSONWriter.bytes { $0.object(params) }, repeatability: repeatability,
      channel: effect, timeout: timeout)
    self.read = read
  }

  private init(
    _ request: EngineCall,
    reading read: @escaping @Sendable (JSONNode) throws(ParleyError) -> Value
  ) {
    self.request = request
    self.read = read
  }

  /// Returns the same call with a transformed result.
  func map<Other: Sendable>(
    _ transform: @escaping @Sendable (Value) throws(ParleyError) -> Other
  ) -> Call<Other> {
    let read = read
    return Call<Other>(request) { (node: JSONNode) throws(ParleyError) -> Other in
      try transform(read(node))
    }
  }

  /// Returns the result of the call.
  func outcome(_ answer: Result<[UInt8], ParleyError>) -> Result<Value, ParleyError> {
    switch answer {
    case .failure(let error): return .failure(error)
    case .success(let json):
      do throws(ParleyError) {
        return .success(try read(AnswerReader.document(json)))
      } catch {
        return .failure(error)
      }
    }
  }
}

/// Synchronizes the start of a call with the cancellation of its task.
final class CallHandle: Sendable {
  enum State: Sendable, Equatable {
    case waiting
    case begun(EngineCallID)
    case cancelled
  }

  private let state = Locked(State.waiting)

  /// Records that the call has started.
  ///
  /// - Returns: The previous state; if it is `cancelled`, the caller must cancel the call.
  func begin(_ id: EngineCallID) -> State {
    state.withLock { state in
      let before = state
      if before == .waiting { state = .begun(id) }
      return before
    }
  }

  /// Records that the task was cancelled.
  ///
  /// - Returns: The call to cancel, if it has started.
  func cancel() -> EngineCallID? {
    state.withLock { state in
      defer { state = .cancelled }
      if case .begun(let id) = state { return id }
      return nil
    }
  }
}

/// Generates request ids that are unique across clients and across runs of this one.
final class RequestIDs: Sendable {
  private let run = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
  private let count = Locked<UInt64>(0)

  /// Returns an id of at most 41 characters.
  func next() -> String {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return "\(run)-\(number)"
  }
}
