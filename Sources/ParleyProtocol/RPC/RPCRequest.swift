/// A well-formed request or notification; whether the method exists is judged by ``Command``.
package struct RPCRequest: Sendable {
  /// `nil` for a notification, which is never answered, not even with an error (§4.1).
  package var id: RPCIdentifier?
  package var method: String
  /// As given; `nil` when absent or `null`.
  package var params: JSONNode?

  package init(id: RPCIdentifier?, method: String, params: JSONNode?) {
    self.id = id
    self.method = method
    self.params = params
  }
}

extension RPCRequest {
  /// Appends a request, or without an id a notification, to what a client sends.
  ///
  /// - Parameters:
  ///   - bytes: Where to.
  ///   - id: What the reply will be known by.
  ///   - method: The method's name.
  ///   - writeParams: Adds the members of `params`.
  package static func append(
    to bytes: inout [UInt8], id: RPCIdentifier?, method: String,
    _ writeParams: (inout JSONWriter) -> Void
  ) {
    JSONWriter.append(to: &bytes) {
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
