internal import ParleyProtocol

/// A request of the protocol, and how its result is read.
///
/// The result is read on the engine's thread, in order with the events before and behind it.
struct Call<Value: Sendable>: Sendable {
  let request: EngineCall
  let read: @Sendable (JSONNode) throws(ParleyError) -> Value

  init(
    _ method: String, _ repeatability: Repeatability, _ effect: ChannelEffect? = nil,
    params: (inout JSONWriter) -> Void,
    reading read: @escaping @Sendable (JSONNode) throws(ParleyError) -> Value
  ) {
    request = EngineCall(
      method: method, params: JSONWriter.bytes { $0.object(params) }, repeatability: repeatability,
      channel: effect)
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
