/// The replies of JSON-RPC 2.0 (§5), appended to the bytes that go out.
package enum RPCReply {
  /// Appends the reply to a request that succeeded; `write` writes one value, the result.
  @inline(__always)
  package static func appendResult(
    to bytes: inout [UInt8], id: RPCIdentifier, _ write: (inout JSONWriter) -> Void
  ) {
    JSONWriter.append(to: &bytes) {
      $0.object {
        begin(&$0, id)
        $0.name("result")
        write(&$0)
      }
    }
  }

  /// Appends the reply to a request that succeeded, its result being JSON already.
  package static func appendResult(
    to bytes: inout [UInt8], id: RPCIdentifier, raw json: [UInt8]
  ) {
    appendResult(to: &bytes, id: id) { $0.value(raw: json) }
  }

  /// Appends the reply to a request that failed; `nil` stands for an id that could not be read.
  package static func appendError(
    to bytes: inout [UInt8], id: RPCIdentifier?, _ error: ServiceError
  ) {
    JSONWriter.append(to: &bytes) {
      $0.object {
        begin(&$0, id)
        $0.name("error")
        error.encode(into: &$0)
      }
    }
  }

  /// Appends the replies to a batch, which must not be empty (§6), as one array.
  package static func appendBatch(to bytes: inout [UInt8], _ replies: [[UInt8]]) {
    JSONWriter.append(to: &bytes) {
      $0.array { for reply in replies { $0.value(raw: reply) } }
    }
  }

  private static func begin(_ writer: inout JSONWriter, _ id: RPCIdentifier?) {
    writer.member("jsonrpc", "2.0")
    writer.name("id")
    if let id { writer.value(rawText: id.json) } else { writer.null() }
  }
}

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
