internal import Basics

/// Refusals of a message that is no proper JSON-RPC request (specification 2.0, §5.1).
extension ServiceError {
  /// The text was refused as JSON.
  ///
  /// What is JSON but too large, too deep or ambiguous is an invalid request.
  package init(_ error: JSONError) {
    switch error.kind {
    case .syntax, .encoding:
      self.init(.parseError, "not JSON: \(error)")
    case .duplicateMember, .limit:
      self.init(.invalidRequest, "not acceptable as JSON: \(error)")
    }
  }

  /// JSON, but no JSON-RPC request, or one that is out of place.
  package static func invalidRequest(_ reason: String) -> ServiceError {
    ServiceError(.invalidRequest, reason)
  }

  /// A fault of the server while answering on the socket; over HTTP it is ``internalError``.
  package static let internalRPCError = ServiceError(
    .internalRPCError, "the server failed to answer; nothing is wrong with the request")

  /// There is no such method.
  package static func noSuchMethod(_ method: String) -> ServiceError {
    ServiceError(
      .methodNotFound, "there is no method \(DisplayText.excerpt(method))", field: "method")
  }

  /// `params` is given and not an object.
  package static let paramsNotObject = ServiceError(
    .invalidParams, "'params' must be an object", field: "params")
}
