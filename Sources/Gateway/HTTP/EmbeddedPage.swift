import Basics
import HTTP

/// A page that is served from the binary: one file with its own style and script.
struct EmbeddedPage: Sendable {
  private let plain: HTTPResponse
  /// `nil` when there was no memory to compress it.
  private let compressed: HTTPResponse?

  /// - Parameters:
  ///   - scripts: Sources of scripts besides the page's own, each followed by a space.
  ///   - connections: The sources that the page may connect to.
  ///   - pictures: The sources of images and videos.
  init(_ content: [UInt8], scripts: String, connections: String, pictures: String) {
    let text = String(decoding: content, as: UTF8.self)
    let own = (style: Self.hash(of: "style", in: text), script: Self.hash(of: "script", in: text))
    var page = HTTPResponse(
      status: .ok,
      fields: [
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": """
        default-src 'none'; style-src '\(own.style)'; script-src \(scripts)'\(own.script)'; \
        connect-src \(connections); img-src \(pictures); media-src \(pictures); base-uri 'none'; \
        form-action 'none'; frame-ancestors 'none'
        """,
        "Cache-Control": "no-cache",
        "Referrer-Policy": "no-referrer",
        "Vary": "Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
      ], body: content)
    plain = page
    guard let smaller = Gzip.compress(content) else {
      compressed = nil
      return
    }
    page.fields.append("Content-Encoding", "gzip")
    page.body = smaller
    compressed = page
  }

  func response(to head: HTTPRequestHead) -> HTTPResponse {
    let isCompressible = Gzip.isAccepted(by: head.fields.values(of: "Accept-Encoding"))
    return isCompressible ? compressed ?? plain : plain
  }

  /// The hash by which a policy allows the first element of a kind; nothing else in the page runs.
  private static func hash(of element: String, in text: String) -> String {
    guard let tag = text.firstRange(of: "<\(element)"),
      let opening = text[tag.upperBound...].firstIndex(of: ">"),
      let closing = text[opening...].firstRange(of: "</\(element)>")
    else { return "none" }
    let content = Array(text[text.index(after: opening)..<closing.lowerBound].utf8)
    return "sha256-\(Base64.encode(EmbeddedDocument.digest(of: content)))"
  }
}
