/// The replies of JSON-RPC 2.0 (§5).
package enum RPCReply {
  /// The reply to a successful request.
  ///
  /// - Parameter json: The result.
  package static func result(_ json: [UInt8], to id: RPCIdentifier) -> [UInt8] {
    JSONWriter.bytes(reserving: json.count + 64) { writer in
      writer.object {
        begin(&$0, id)
        $0.member("result", raw: json)
      }
    }
  }

  /// The reply to a failed request; the id is `nil` if it could not be read.
  package static func error(_ error: ServiceError, to id: RPCIdentifier?) -> [UInt8] {
    JSONWriter.bytes { writer in
      writer.object {
        begin(&$0, id)
        $0.name("error")
        error.encode(into: &$0)
      }
    }
  }

  /// The replies to a batch, at least one (§6), as one array.
  package static func batch(_ replies: [[UInt8]]) -> [UInt8] {
    JSONWriter.bytes(reserving: replies.reduce(2) { $0 + $1.count + 1 }) { writer in
      writer.array { for reply in replies { $0.value(raw: reply) } }
    }
  }

  private static func begin(_ writer: inout JSONWriter, _ id: RPCIdentifier?) {
    writer.member("jsonrpc", "2.0")
    writer.name("id")
    if let id { writer.value(rawText: id.json) } else { writer.null() }
  }
}

/// A reply or notification in a server's text message, as parsed by clients.
package enum RPCOutput: Sendable {
  /// The answer to a request; the id is `nil` when the request's id could not be read.
  case reply(id: RPCIdentifier?, Result<JSONNode, ServiceError>)
  /// An event.
  case notification(method: String, params: JSONNode?)

  /// Parses a message: one reply or event, or a batch of replies.
  ///
  /// - Throws: If the text is not JSON, or a value in it is neither a reply nor a notification.
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
