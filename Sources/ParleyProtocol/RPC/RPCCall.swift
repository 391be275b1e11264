/// One call of a message: a request that can be carried out, or what is wrong with it.
package enum RPCCall: Sendable {
  case request(RPCRequest)
  /// To be answered with the error; without an id that could be read, with `null` for it.
  case invalid(id: RPCIdentifier?, ServiceError)

  /// Judges one value as a request object (JSON-RPC 2.0, §4).
  init(_ node: JSONNode) {
    guard node.kind == .object else {
      self = .invalid(id: nil, .invalidRequest("a request must be an object"))
      return
    }
    let idNode = node.present("id")
    let id = idNode.flatMap(RPCIdentifier.init)
    if let fault = Self.fault(in: node, hasUnreadableID: idNode != nil && id == nil) {
      self = .invalid(id: id, .invalidRequest(fault))
    } else {
      let method = node["method"]?.string ?? ""
      self = .request(RPCRequest(id: id, method: method, params: node.present("params")))
    }
  }

  private static func fault(in node: JSONNode, hasUnreadableID: Bool) -> String? {
    if hasUnreadableID { return "'id' must be a string or a whole number" }
    if node["jsonrpc"]?.string != "2.0" { return "'jsonrpc' must be \"2.0\"" }
    if node["method"]?.kind != .string { return "'method' must be a string" }
    return nil
  }
}
