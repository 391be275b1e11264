package import ParleyProtocol
import TestSupport

/// Forms with a file, as browsers and back ends send them.
package struct FormUpload: Sendable {
  private static let boundary = "----form-boundary-7MA4YWxkTrZu0gW"

  package var fields: [(String, String)]
  package var fileName: String
  package var type: String
  package var content: [UInt8]

  /// A file with what else belongs to the message.
  package init(
    _ content: [UInt8], name: String = "photo.png", type: String = "image/png",
    fields: [(String, String)] = [("message_type", "FILE"), ("user_id", "jeff")]
  ) {
    self.content = content
    fileName = name
    self.type = type
    self.fields = fields
  }

  /// For the head of the request.
  package static var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  /// The body of the request.
  package var body: [UInt8] {
    var body: [UInt8] = []
    for (name, value) in fields {
      body += Array(
        "--\(Self.boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
          .utf8)
    }
    body += Array(
      """
      --\(Self.boundary)\r
      Content-Disposition: form-data; name="file"; filename="\(fileName)"\r
      Content-Type: \(type)\r
      \r

      """.utf8)
    return body + content + Array("\r\n--\(Self.boundary)--\r\n".utf8)
  }

  /// The head of the request that brings it.
  package func head(
    to path: String, token: String, length: Int? = nil
  ) -> [UInt8] {
    Array(
      """
      POST \(path) HTTP/1.1\r
      Host: files.localhost:8080\r
      Connection: close\r
      Api-Token: \(token)\r
      Content-Type: \(Self.contentType)\r
      Content-Length: \(length ?? body.count)\r
      \r

      """.utf8)
  }
}

extension ServerProcess {
  /// Uploads, and returns the status and the answer.
  package func upload(
    _ form: FormUpload, to channel: String = "lobby", token: String? = nil,
    over stream: (any ByteStream)? = nil
  ) throws -> (status: UInt16, body: JSONNode) {
    let stream = try stream ?? StreamSocket(port: port)
    let path = "/v3/open_channels/\(channel)/messages"
    try stream.write(form.head(to: path, token: try token ?? apiToken) + form.body, .standard)
    let answer = try HTTPAnswer(reading: stream)
    return (answer.status, try JSONDocument(answer.text).root)
  }
}
