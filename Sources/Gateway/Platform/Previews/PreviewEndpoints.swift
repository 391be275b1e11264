import Bytes
import HTTP1
import LinkPreview
import ParleyProtocol
import Unfurler

extension PlatformCall {
  func explainPreview() throws(ServiceError) -> Work { try previews.explain(request) }
  func listPreviews() throws(ServiceError) -> Work { try previews.list(request) }
  func purgePreviews() throws(ServiceError) -> Work { try previews.purge(request) }

  private var previews: PreviewEndpoints { PreviewEndpoints(previews: node.services.previews) }
}

/// What operators may ask about previews, below `/v3/parley/previews`.
struct PreviewEndpoints {
  let previews: Previews?

  /// `GET …/explain?url=`: looks a link up anew and tells how it went.
  func explain(
    _ call: PlatformRequest
  ) throws(ServiceError) -> (@escaping PlatformCall.Reply) -> Void {
    let previews = try required()
    guard let text = call.query["url"], !text.isEmpty else { throw .missing("url") }
    let link = try link(text)
    return { reply in
      previews.explain(link) { explanation in
        reply(.success(JSONWriter.bytes { explanation.encode(into: &$0) }))
      }
    }
  }

  /// `GET …?url=|domain=&limit=&token=`: what the cache holds, in the order of the links.
  func list(_ call: PlatformRequest) throws(ServiceError) -> (@escaping PlatformCall.Reply) -> Void
  {
    let previews = try required()
    let selection = try selection(call) ?? .all
    let limit = try call.pageSize()
    let pages = PageCursor<String>(of: [
      "previews", call.query["url"] ?? "", call.query["domain"] ?? "",
    ])
    var cursor: String?
    if let token = try call.pageToken() {
      guard let link = pages.position(in: token) else { throw .pageTokenExpired }
      cursor = link
    }
    return { [cursor] reply in
      previews.entries(selection, after: cursor, limit: limit) { page in
        reply(.success(page.encoded(pages)))
      }
    }
  }

  /// `DELETE …?url=|domain=|all=true`: forgets what the cache holds.
  func purge(_ call: PlatformRequest) throws(ServiceError) -> (@escaping PlatformCall.Reply) -> Void
  {
    let previews = try required()
    guard let selection = try selection(call) else {
      throw ServiceError(.missingParameter, "one of 'url', 'domain' and 'all=true' is required")
    }
    return { reply in
      previews.purge(selection) { count in
        reply(.success(JSONWriter.bytes { $0.object { $0.member("purged", count) } }))
      }
    }
  }

  private func required() throws(ServiceError) -> Previews {
    guard let previews else {
      throw ServiceError(
        .combinationNotAcceptable, "previews are turned off: unfurl.mode is off")
    }
    return previews
  }

  private func selection(_ call: PlatformRequest) throws(ServiceError) -> PreviewSelection? {
    let (url, domain) = (call.query["url"] ?? "", call.query["domain"] ?? "")
    let isAll = try call.boolean("all") ?? false
    guard [!url.isEmpty, !domain.isEmpty, isAll].count(where: \.self) <= 1 else {
      throw ServiceError(
        .combinationNotAcceptable, "'url', 'domain' and 'all' exclude each other")
    }
    if !url.isEmpty { return .link(try link(url)) }
    if !domain.isEmpty { return .domain(try host(domain)) }
    return isAll ? .all : nil
  }

  private func host(_ domain: String) throws(ServiceError) -> String {
    // Whatever stands beside the name would be passed over silently, the port of the scheme too.
    guard let url = WebURL("http://\(domain):1/"), url.text == "http://\(url.host.text):1/" else {
      throw .invalid("domain", domain, expected: "a domain such as example.com, or an address")
    }
    return url.host.text
  }

  /// A URL as an operator gives it, or as it would be found in a message: `example.com/page`.
  private func link(_ text: String) throws(ServiceError) -> Link {
    guard let link = Link(text) ?? LinkFinder.firstLink(in: text) else {
      throw .invalid("url", text, expected: "an http or https URL of at most 2,048 bytes")
    }
    return link
  }
}
