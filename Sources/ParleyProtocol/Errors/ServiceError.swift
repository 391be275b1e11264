/// An error that is returned to the client: a number, a text, and details to act on.
package struct ServiceError: Error, Sendable, Hashable {
  package var code: ErrorCode
  /// For people: what failed, the value at fault (bounded), what was expected.
  package var message: String
  /// For programs.
  package var data: ErrorDetails

  package init(_ code: ErrorCode, _ message: String, data: ErrorDetails = ErrorDetails()) {
    self.code = code
    self.message = message
    self.data = data
  }

  /// A refusal that names a parameter.
  package init(_ code: ErrorCode, _ message: String, field: String) {
    self.init(code, message, data: ErrorDetails(field: field))
  }

  /// Writes the error object of a JSON-RPC reply; `data` is always an object.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("code", code.rawValue)
      $0.member("message", message)
      $0.name("data")
      data.encode(into: &$0)
    }
  }

  /// Writes the body of a refused HTTP request.
  ///
  /// One that may succeed later says when, and which limit it met.
  package func encodeHTTPBody(into writer: inout JSONWriter) {
    writer.object {
      $0.member("error", true)
      $0.member("code", code.rawValue)
      $0.member("message", message)
      if let wait = data.retryAfterMilliseconds {
        $0.member("retry_after_ms", wait)
        if let limit = data.limit { $0.member("limit", limit) }
        if let window = data.windowMilliseconds { $0.member("window_ms", window) }
        if let scope = data.scope { $0.member("scope", scope) }
      }
    }
  }

  /// Reads the error object of a reply, or `nil` when it has no code.
  package init?(json: JSONNode) {
    guard let code = json["code"]?.integer.flatMap(Int.init(exactly:)) else { return nil }
    self.code = ErrorCode(rawValue: code)
    message = json["message"]?.string ?? ""
    data = ErrorDetails(json: json["data"])
  }
}

extension ServiceError: CustomStringConvertible {
  /// The number and the text.
  package var description: String { "\(code.rawValue): \(message)" }
}
