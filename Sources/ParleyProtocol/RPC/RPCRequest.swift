/// A well-formed request or notification; ``Command`` checks whether the method exists.
package struct RPCRequest: Sendable {
  /// `nil` for a notification, which is never answered, not even with an error (§4.1).
  package var id: RPCIdentifier?
  package var method: String
  /// The parameters as given; `nil` when absent or `null`.
  package var params: JSONNode?
}

extension RPCRequest {
  /// A request, or a notification if it has no id, as a client sends it.
  ///
  /// - Parameters:
  ///   - id: The id of the reply.
  ///   - method: The method's name.
  ///   - writeParams: Adds the members of `params`.
  package static func encoded(
    id: RPCIdentifier?, method: String, _ writeParams: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("jsonrpc", "2.0")
        if let id {
          $0.name("id")
          $0.value(rawText: id.json)
        }
        $0.member("method", method)
        $0.member("params", object: writeParams)
      }
    }
  }
}

/// One call of a message: a valid request, or the error in it.
package enum RPCCall: Sendable {
  case request(RPCRequest)
  /// An invalid request, which is answered with the error; the id is `null` if it could not be read.
  case invalid(id: RPCIdentifier?, ServiceError)

  /// Validates one value as a request object (JSON-RPC 2.0, §4).
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

/// The id of a request, stored as it was written so that the reply repeats it exactly.
package struct RPCIdentifier: Sendable, Hashable {
  /// The id's JSON text: digits, or a string with its quotation marks.
  package let json: String

  /// Copies a string or whole number; `nil` for any other value.
  package init?(_ node: JSONNode) {
    switch node.kind {
    case .string: break
    case .number where node.integer != nil || Self.isWhole(node.raw): break
    case .number, .null, .bool, .array, .object: return nil
    }
    json = String(decoding: node.raw, as: UTF8.self)
  }

  /// An id for a request sent by this side.
  package init(_ number: Int64) {
    json = String(number)
  }

  private static func isWhole(_ digits: ArraySlice<UInt8>) -> Bool {
    digits.allSatisfy { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
  }
}

/// A client's text message, classified (JSON-RPC 2.0, §4 and §6).
package enum RPCInput: Sendable {
  /// One call; its reply is one object.
  case single(RPCCall)
  /// Several calls, at least one; their replies are sent as one array, if there are any.
  case batch([RPCCall])
  /// A text that could not be parsed: one error reply with a `null` id.
  case malformed(ServiceError)

  /// The maximum number of calls in one batch.
  package static let batchLimit = 100

  /// Parses a message.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  package init(_ bytes: [UInt8], limits: JSONLimits = .standard) {
    do throws(JSONError) {
      self.init(try JSONDocument(bytes, limits: limits).root)
    } catch {
      self = Self.refused(bytes, ServiceError(error))
    }
  }

  /// Refuses each request of a text that is not acceptable JSON, using the ids that can still be read.
  private static func refused(_ bytes: [UInt8], _ error: ServiceError) -> RPCInput {
    switch RPCIdentifierSearch.ids(in: bytes, limit: batchLimit) {
    case .single(let id?): .single(.invalid(id: id, error))
    case .batch(let ids) where !ids.isEmpty: .batch(ids.map { .invalid(id: $0, error) })
    case .single(nil), .batch: .malformed(error)
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
