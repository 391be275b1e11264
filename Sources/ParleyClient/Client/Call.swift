internal import ParleyProtocol
internal import Synchronization

/// A request of the protocol, and how its result is read.
///
/// The result is read on the engine's thread, in order with the events before and behind it.
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

  /// The same call, with something made of its result.
  func map<Other: Sendable>(
    _ transform: @escaping @Sendable (Value) throws(ParleyError) -> Other
  ) -> Call<Other> {
    let read = read
    return Call<Other>(request) { (node: JSONNode) throws(ParleyError) -> Other in
      try transform(read(node))
    }
  }

  /// The result of the call.
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

/// Brings together a call that begins and a task that may be cancelled at the same time.
final class CallHandle: Sendable {
  enum State: Sendable, Equatable {
    case waiting
    case begun(EngineCallID)
    case cancelled
  }

  private let state = Mutex(State.waiting)

  /// The call has begun.
  ///
  /// - Returns: The state before: when that was `cancelled`, the caller gives the call up.
  func begin(_ id: EngineCallID) -> State {
    state.withLock { state in
      let before = state
      if before == .waiting { state = .begun(id) }
      return before
    }
  }

  /// The task was cancelled.
  ///
  /// - Returns: The call to give up, if it has begun.
  func cancel() -> EngineCallID? {
    state.withLock { state in
      defer { state = .cancelled }
      if case .begun(let id) = state { return id }
      return nil
    }
  }
}

/// Names for sendings that no other client and no other run of this one will use.
final class RequestIDs: Sendable {
  private let run = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
  private let count = Atomic<UInt64>(0)

  /// A name of at most 41 characters.
  func next() -> String {
    "\(run)-\(count.add(1, ordering: .relaxed).newValue)"
  }
}
