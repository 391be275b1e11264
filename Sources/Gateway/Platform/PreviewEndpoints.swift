import HTTP1
import LinkPreview
import ParleyProtocol
import Unfurler

/// What operators may ask about previews, below `/v3/parley/previews`.
struct PreviewEndpoints {
  let previews: Previews?

  /// `GET …/explain?url=`: looks a link up anew and tells how it went.
  func explain(
    _ call: PlatformRequest
  ) throws(ServiceError) -> (@escaping PlatformAPI.Reply) -> Void {
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
  func list(_ call: PlatformRequest) throws(ServiceError) -> (@escaping PlatformAPI.Reply) -> Void {
    let previews = try required()
    let selection = try selection(call) ?? .all
    let limit = try call.integer("limit", in: 1...100, default: 10)
    let cursor = call.query["token"].flatMap { $0.isEmpty ? nil : $0 }
    return { reply in
      previews.entries(selection, after: cursor, limit: limit) { page in
        reply(.success(JSONWriter.bytes { page.encode(into: &$0) }))
      }
    }
  }

  /// `DELETE …?url=|domain=|all=true`: forgets what the cache holds.
  func purge(_ call: PlatformRequest) throws(ServiceError) -> (@escaping PlatformAPI.Reply) -> Void
  {
    let previews = try required()
    guard let selection = try selection(call) ?? (call.query["all"] == "true" ? .all : nil) else {
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
    guard url.isEmpty || domain.isEmpty else {
      throw ServiceError(
        .combinationNotAcceptable, "'url' and 'domain' exclude each other")
    }
    if !url.isEmpty { return .link(try link(url)) }
    guard !domain.isEmpty else { return nil }
    guard case .name(let name)? = WebURL("http://\(domain)/")?.host else {
      throw .invalid("domain", domain, expected: "a domain name such as example.com")
    }
    return .domain(name)
  }

  /// A URL as an operator gives it, or as it would be found in a message: `example.com/page`.
  private func link(_ text: String) throws(ServiceError) -> Link {
    guard let link = Link(text) ?? LinkFinder.firstLink(in: text) else {
      throw .invalid("url", text, expected: "an http or https URL of at most 2,048 bytes")
    }
    return link
  }
}
