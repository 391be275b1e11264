/// The details of an error beside its code and text: the object `error.data`.
package struct ErrorDetails: Sendable, Hashable {
  /// The parameter at fault, as it is called in the request.
  package var field: String?
  /// After how long the same request may succeed.
  package var retryAfterMilliseconds: Int64?
  /// The limit that was hit, in the unit of what it limits.
  package var limit: Int64?
  /// The stretch of time that the limit is for.
  package var windowMilliseconds: Int64?
  /// The scope in which the limit counts, such as `user_channel`.
  package var scope: String?
  /// `unknown` when a refused request may have changed something all the same.
  package var outcome: String?

  package init(
    field: String? = nil, retryAfterMilliseconds: Int64? = nil, limit: Int64? = nil,
    windowMilliseconds: Int64? = nil, scope: String? = nil, outcome: String? = nil
  ) {
    self.field = field
    self.retryAfterMilliseconds = retryAfterMilliseconds
    self.limit = limit
    self.windowMilliseconds = windowMilliseconds
    self.scope = scope
    self.outcome = outcome
  }

  /// Writes the object; what is not known is left out.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      if let field { $0.member("field", field) }
      if let retryAfterMilliseconds { $0.member("retry_after_ms", retryAfterMilliseconds) }
      if let limit { $0.member("limit", limit) }
      if let windowMilliseconds { $0.member("window_ms", windowMilliseconds) }
      if let scope { $0.member("scope", scope) }
      if let outcome { $0.member("outcome", outcome) }
    }
  }

  /// Reads the object, passing over what is not as expected.
  package init(json: JSONNode?) {
    field = json?["field"]?.string
    retryAfterMilliseconds = json?["retry_after_ms"]?.integer
    limit = json?["limit"]?.integer
    windowMilliseconds = json?["window_ms"]?.integer
    scope = json?["scope"]?.string
    outcome = json?["outcome"]?.string
  }
}
