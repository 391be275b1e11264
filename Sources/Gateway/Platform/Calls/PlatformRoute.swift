import ParleyProtocol

/// One endpoint of the Platform API.
struct PlatformRoute: Sendable {
  typealias Endpoint = @Sendable (PlatformCall) -> () throws(ServiceError) -> PlatformCall.Work

  let method: String
  /// The path's parts below `/v3`; `*` is open, `#` is open for a number.
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
      if expected == "*" || expected == "#" {
        // Nothing has an empty name: the caller's variable was empty.
        guard !part.isEmpty, expected == "*" || Self.isNumber(part) else { return nil }
        arguments.append(part)
      } else if part != expected {
        return nil
      }
    }
    return arguments
  }

  /// Numbers out of range are numbers; their refusal is the endpoint's.
  private static func isNumber(_ part: String) -> Bool {
    let digits = part.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
    return !digits.isEmpty
      && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
