import HTTP

/// The fields with which responses at secret addresses end: they are neither kept nor passed on, and the
/// page that has sent the request may read them (Fetch Standard, CORS protocol).
struct CrossOriginFields: Sendable {
  /// The origin of the requesting page; `nil` without one.
  private let origin: String?
  private let admitsAll: Bool

  /// - Parameters:
  ///   - admitsAll: Whether pages of all origins get the same responses.
  init(for head: HTTPRequestHead, admitsAll: Bool) {
    origin = head.fields["Origin"]
    self.admitsAll = admitsAll
  }

  /// Appends the fields.
  ///
  /// - Parameters:
  ///   - exposed: The names of the response's fields that pages may read.
  func append(
    to response: inout HTTPResponse, caching: String = "no-store", exposing exposed: String
  ) {
    response.fields.append("Cache-Control", caching)
    response.fields.append("X-Content-Type-Options", "nosniff")
    response.fields.append("Referrer-Policy", "no-referrer")
    guard let origin else { return }
    response.fields.append("Access-Control-Allow-Origin", admitsAll ? "*" : origin)
    if !admitsAll { response.fields.append("Vary", "Origin") }
    response.fields.append("Access-Control-Expose-Headers", exposed)
  }
}
