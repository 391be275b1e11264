/// A client's text message, classified (JSON-RPC 2.0, §4 and §6).
package enum RPCInput: Sendable {
  /// One call; its reply is one object.
  case single(RPCCall)
  /// Several calls, at least one; their replies go back as one array, if there are any.
  case batch([RPCCall])
  /// Nothing that could be taken apart: one error reply with a `null` id.
  case malformed(ServiceError)

  /// Calls in one batch at most.
  package static let batchLimit = 100

  /// Takes a message apart.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  package init(_ bytes: [UInt8], limits: JSONLimits = .standard) {
    do throws(JSONError) {
      self.init(try JSONDocument(bytes, limits: limits).root)
    } catch {
      self = .malformed(ServiceError(error))
    }
  }

  private init(_ root: JSONNode) {
    guard root.kind == .array else {
      self = .single(RPCCall(root))
      return
    }
    self = Self.batch(of: Array(root.elements.prefix(Self.batchLimit + 1)))
  }

  private static func batch(of nodes: [JSONNode]) -> RPCInput {
    guard !nodes.isEmpty else { return .malformed(.invalidRequest("the batch is empty")) }
    guard nodes.count <= batchLimit else {
      return .malformed(.invalidRequest("more than \(batchLimit) calls in a batch"))
    }
    return .batch(nodes.map(RPCCall.init))
  }
}
