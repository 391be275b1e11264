/// The forms in which a route takes the bodies of its requests.
package enum BodyPolicy: Sendable, Hashable {
  /// None has a meaning.
  case none
  /// With the request; at most this many bytes, or as many as ``HTTPLimits/bodyBytes``.
  case whole(limit: Int? = nil)
  /// The same, or a form (`multipart/form-data`) in pieces, as it comes.
  case wholeOrForm

  /// Whether a body of that length fits, as far as the route bounds it.
  package func admits(byteCount: Int) -> Bool {
    switch self {
    case .none: byteCount == 0
    case .whole(let limit): limit.map { byteCount <= $0 } ?? true
    case .wholeOrForm: true
    }
  }
}

/// A path of a server with a method, the access rule and the endpoint.
///
/// `Access` and `Endpoint` are the server's own types.
package struct HTTPRoute<Access: Sendable, Endpoint: Sendable>: Sendable {
  /// The methods it answers; the first is its own, `HEAD` may come with `GET`.
  package let methods: [String]
  package let pattern: PathPattern
  package let access: Access
  package let body: BodyPolicy
  package let endpoint: Endpoint

  package init(
    _ methods: [String], _ pattern: PathPattern, access: Access, body: BodyPolicy = .none,
    _ endpoint: Endpoint
  ) {
    self.methods = methods
    self.pattern = pattern
    self.access = access
    self.body = body
    self.endpoint = endpoint
  }
}
