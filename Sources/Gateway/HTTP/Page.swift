import HTTP1

/// The page for a newcomer's first minute, served from the binary.
enum Page {
  static let response = HTTPResponse(
    status: .ok,
    fields: [
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy,
      "Cache-Control": "no-cache",
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
    ], body: PackageResources.index_html)

  /// Nothing but the page's own style and script, which their hashes name.
  private static let policy = """
    default-src 'none'; style-src '\(hash(of: "style"))'; script-src '\(hash(of: "script"))'; \
    connect-src 'self' ws: wss:; img-src http: https:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'
    """

  private static func hash(of element: String) -> String {
    let text = String(decoding: PackageResources.index_html, as: UTF8.self)
    guard let opening = text.firstRange(of: "<\(element)>"),
      let closing = text[opening.upperBound...].firstRange(of: "</\(element)>")
    else { return "none" }
    let content = Array(text[opening.upperBound..<closing.lowerBound].utf8)
    return "sha256-\(ContentHash.base64(of: content))"
  }
}
