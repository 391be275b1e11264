/// The rule that finds the end of a body (RFC 9112 §6.3).
enum BodyFraming: Sendable, Equatable {
  case length(Int)
  case chunked
  case untilEnd

  /// The framing of a request's body; anything ambiguous is refused.
  init(request fields: HTTPFields, version: HTTPVersion) throws(HTTPError) {
    self = try Self.declared(fields, version: version) ?? .length(0)
  }

  /// The framing of the body of a response that may have one.
  init(response fields: HTTPFields, version: HTTPVersion) throws(HTTPError) {
    self = try Self.declared(fields, version: version) ?? .untilEnd
  }

  private static func declared(
    _ fields: HTTPFields, version: HTTPVersion
  ) throws(HTTPError) -> BodyFraming? {
    guard fields.contains("Transfer-Encoding") else {
      return try contentLength(fields).map(BodyFraming.length)
    }
    guard !fields.contains("Content-Length") else {
      throw .badRequest("There are both a Content-Length and a Transfer-Encoding.")
    }
    guard version == .http11 else {
      throw .badRequest("HTTP/1.0 has no Transfer-Encoding.")
    }
    let codings = fields.listValues(of: "Transfer-Encoding")
    let isChunked = { HTTPSyntax.equalIgnoringCase($0, "chunked") }
    guard codings.filter(isChunked).count <= 1, let last = codings.last else {
      throw .badRequest("The Transfer-Encoding is not valid.")
    }
    guard codings.count == 1, isChunked(last) else {
      throw HTTPError(.notImplemented, "The only transfer coding known here is chunked.")
    }
    return .chunked
  }

  /// Several equal lengths are one (RFC 9110 §8.6), different ones are an attack.
  private static func contentLength(_ fields: HTTPFields) throws(HTTPError) -> Int? {
    guard fields.contains("Content-Length") else { return nil }
    let values = fields.values(of: "Content-Length").flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false).map {
        HTTPSyntax.trimmed(ArraySlice($0.utf8))
      }
    }
    guard let first = values.first, values.allSatisfy({ $0 == first }) else {
      throw .badRequest("There are different Content-Lengths.")
    }
    guard !first.isEmpty, first.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .badRequest("The Content-Length is not a number.")
    }
    // A number that does not fit is larger than any limit.
    return Int(String(decoding: first, as: UTF8.self)) ?? .max
  }
}
