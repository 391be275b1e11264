import HTTP1
import ParleyProtocol

/// A call of the Platform API, its target taken apart.
struct PlatformRequest {
  let method: String
  /// The path below `/v3`, decoded.
  let path: [String]
  let query: QueryParameters

  /// - Throws: 400151 when the target's percent-encoding is broken.
  init(_ request: HTTPRequest) throws(ServiceError) {
    guard let segments = request.head.pathSegments,
      let query = QueryParameters(request.head.query)
    else {
      throw ServiceError(
        .characterNotAllowed, "the target's percent-encoding is broken or not UTF-8")
    }
    method = request.head.method
    path = Array(segments.dropFirst())
    self.query = query
  }

  /// Whether a request is one for the Platform API.
  static func isMeant(by head: HTTPRequestHead) -> Bool {
    head.path == "/v3" || head.path.hasPrefix("/v3/")
  }

  /// A whole number among the query's parameters.
  ///
  /// - Throws: 400101 for what is no number, 400113 beyond the range.
  func integer(
    _ name: String, in range: ClosedRange<Int>, default standard: Int
  ) throws(ServiceError) -> Int {
    guard let text = query[name], !text.isEmpty else { return standard }
    guard let number = Int64(text) else { throw .notNumber(name) }
    guard let value = Int(exactly: number), range.contains(value) else {
      throw .outOfRange(name, number, Int64(range.lowerBound)...Int64(range.upperBound))
    }
    return value
  }
}
