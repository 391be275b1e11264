/// An HTTP request to a service that delivers pushes.
package struct PushRequest: Sendable, Hashable {
  package var url: String
  /// Fields of the header, as `name: value`.
  package var fields: [String]
  package var body: [UInt8]

  package init(url: String, fields: [String], body: [UInt8]) {
    self.url = url
    self.fields = fields
    self.body = body
  }
}

extension PushRequest: CustomStringConvertible {
  /// Does not reveal credentials, tokens or texts.
  package var description: String { "a push of \(body.count) bytes" }
}
