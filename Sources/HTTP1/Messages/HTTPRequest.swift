/// A request with its whole body.
package struct HTTPRequest: Sendable, Hashable {
  /// The request line and fields.
  package var head: HTTPRequestHead
  /// The content, its transfer coding removed.
  package var body: [UInt8]

  /// Makes a request.
  package init(head: HTTPRequestHead, body: [UInt8] = []) {
    self.head = head
    self.body = body
  }

  /// Appends the request as a client sends it, with a `Content-Length` when there is a body.
  package func serialize(into bytes: inout [UInt8]) {
    var head = head
    if !body.isEmpty { head.fields["Content-Length"] = String(body.count) }
    head.serialize(into: &bytes)
    bytes.append(contentsOf: body)
  }
}
