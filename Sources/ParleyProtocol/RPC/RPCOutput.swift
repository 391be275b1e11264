/// A reply or notification in a server's text message, as clients read it.
package enum RPCOutput: Sendable {
  /// The answer to a request; without an id when the request's could not be read.
  case reply(id: RPCIdentifier?, Result<JSONNode, ServiceError>)
  /// An event.
  case notification(method: String, params: JSONNode?)

  /// Takes a message apart: one reply or event, or a batch of replies.
  ///
  /// - Throws: Why it is not JSON, or that a value in it is neither reply nor notification.
  package static func parse(
    _ bytes: [UInt8], limits: JSONLimits = .standard
  ) throws(JSONError) -> [RPCOutput] {
    let root = try JSONDocument(bytes, limits: limits).root
    guard root.kind == .array else { return [try RPCOutput(root)] }
    var outputs: [RPCOutput] = []
    for element in root.elements { outputs.append(try RPCOutput(element)) }
    return outputs
  }

  private init(_ node: JSONNode) throws(JSONError) {
    let id = node.present("id").flatMap(RPCIdentifier.init)
    if let method = node["method"]?.string, id == nil {
      self = .notification(method: method, params: node.present("params"))
    } else if let error = node.present("error").flatMap(ServiceError.init(json:)) {
      self = .reply(id: id, .failure(error))
    } else if let result = node["result"], let id {
      self = .reply(id: id, .success(result))
    } else {
      throw JSONError(
        .syntax, at: node.raw.startIndex, "neither a reply nor a notification of JSON-RPC 2.0")
    }
  }
}
