internal import Basics

/// An error that is returned to the client: a number, a text, and machine-readable details.
package struct ServiceError: Error, Sendable, Hashable {
  package var code: ErrorCode
  /// The text for people: the failure, the invalid value (cut), and the expected value.
  package var message: String
  /// The details for programs.
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

  /// Writes the body of the response to a refused HTTP request.
  ///
  /// If a retry may succeed, the body contains the time to wait and the limit that was exceeded.
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
      if let reason = data.reason { $0.member("reason", reason) }
      if let details = data.application { $0.member("data", raw: Array(details.utf8)) }
    }
  }

  /// Reads the error object of a reply, or `nil` when it has no code.
  package init?(json: JSONNode) {
    guard let code = json["code"]?.integer.flatMap(Int.init(exactly:)) else { return nil }
    self.code = ErrorCode(rawValue: code)
    message = json["message"]?.string ?? ""
    data = ErrorDetails(json: json["data"])
    if self.code.isOfApplication, let details = json.present("data"), details.kind == .object {
      data.application = String(decoding: details.raw, as: UTF8.self)
    }
  }
}

extension ServiceError: CustomStringConvertible {
  /// The number and the text.
  package var description: String { "\(code.rawValue): \(message)" }
}

/// The details of an error in addition to its code and text: the object `error.data`.
package struct ErrorDetails: Sendable, Hashable {
  /// The invalid parameter, by its name in the request.
  package var field: String?
  /// The time after which the same request may succeed.
  package var retryAfterMilliseconds: Int64?
  /// The limit that was exceeded, in its own unit.
  package var limit: Int64?
  /// The length of the window to which the limit applies.
  package var windowMilliseconds: Int64?
  /// The scope to which the limit applies, such as `user_channel`.
  package var scope: String?
  /// `unknown` when a refused request may still have changed data.
  package var outcome: String?
  /// The cause of a failure when the code alone is not specific enough: `storage_full`, `keys`.
  package var reason: String?
  /// The languages that a translator does not support.
  package var unsupported: [String]?
  /// The details of a refusal by the app's back end, a JSON object in place of all others.
  package var application: String?

  package init(
    field: String? = nil, retryAfterMilliseconds: Int64? = nil, limit: Int64? = nil,
    windowMilliseconds: Int64? = nil, scope: String? = nil, outcome: String? = nil,
    reason: String? = nil, unsupported: [String]? = nil, application: String? = nil
  ) {
    self.unsupported = unsupported
    self.application = application
    self.field = field
    self.retryAfterMilliseconds = retryAfterMilliseconds
    self.limit = limit
    self.windowMilliseconds = windowMilliseconds
    self.scope = scope
    self.outcome = outcome
    self.reason = reason
  }

  /// Writes the object without unknown members.
  package func encode(into writer: inout JSONWriter) {
    if let application { return writer.value(raw: Array(application.utf8)) }
    writer.object {
      if let field { $0.member("field", field) }
      if let retryAfterMilliseconds { $0.member("retry_after_ms", retryAfterMilliseconds) }
      if let limit { $0.member("limit", limit) }
      if let windowMilliseconds { $0.member("window_ms", windowMilliseconds) }
      if let scope { $0.member("scope", scope) }
      if let outcome { $0.member("outcome", outcome) }
      if let reason { $0.member("reason", reason) }
      if let unsupported { $0.member("unsupported", unsupported) }
    }
  }

  /// Reads the object, ignoring unexpected members.
  package init(json: JSONNode?) {
    field = json?["field"]?.string
    retryAfterMilliseconds = json?["retry_after_ms"]?.integer
    limit = json?["limit"]?.integer
    windowMilliseconds = json?["window_ms"]?.integer
    scope = json?["scope"]?.string
    outcome = json?["outcome"]?.string
    reason = json?["reason"]?.string
    unsupported = json?.present("unsupported").map { $0.elements.compactMap(\.string) }
  }
}

/// Refusals of a message that is not a valid JSON-RPC request (specification 2.0, §5.1).
extension ServiceError {
  /// The text is not acceptable JSON.
  ///
  /// JSON that is too large, too deep or ambiguous is reported as an invalid request.
  package init(_ error: JSONError) {
    switch error.kind {
    case .syntax, .encoding:
      self.init(.parseError, "not JSON: \(error)")
    case .duplicateMember, .limit:
      self.init(.invalidRequest, "not acceptable as JSON: \(error)")
    }
  }

  /// Valid JSON, but not a JSON-RPC request, or one that is not allowed at this point.
  package static func invalidRequest(_ reason: String) -> ServiceError {
    ServiceError(.invalidRequest, reason)
  }

  /// An internal error while answering on the socket; over HTTP it is ``internalError``.
  package static let internalRPCError = ServiceError(
    .internalRPCError, "the server failed to answer; nothing is wrong with the request")

  /// There is no such method.
  package static func noSuchMethod(_ method: String) -> ServiceError {
    ServiceError(
      .methodNotFound, "there is no method \(DisplayText.excerpt(method))", field: "method")
  }

  /// `params` is present and not an object.
  package static let paramsNotObject = ServiceError(
    .invalidParams, "'params' must be an object", field: "params")
}
