import ParleyProtocol

/// One endpoint of the Platform API.
struct PlatformRoute: Sendable {
  typealias Endpoint = @Sendable (PlatformCall) -> () throws(ServiceError) -> PlatformCall.Work

  let method: String
  /// The path's parts below `/v3`; `*` is open.
  let pattern: [String]
  let endpoint: Endpoint

  init(_ method: String, _ pattern: String, _ endpoint: @escaping Endpoint) {
    self.method = method
    self.pattern = pattern.split(separator: "/").map(String.init)
    self.endpoint = endpoint
  }

  /// What stands where the pattern is open; `nil` when the request is for another endpoint.
  func arguments(of request: PlatformRequest) -> [String]? {
    guard request.method == method, request.path.count == pattern.count else { return nil }
    var arguments: [String] = []
    for (part, expected) in zip(request.path, pattern) {
      if expected == "*" {
        // Nothing goes by an empty name: who sends one has lost it.
        guard !part.isEmpty else { return nil }
        arguments.append(part)
      } else if part != expected {
        return nil
      }
    }
    return arguments
  }
}
