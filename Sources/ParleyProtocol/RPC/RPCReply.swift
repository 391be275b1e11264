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
