import Basics
import Configuration
import LinkPreview
import ParleyProtocol
import Store
import Unfurler

/// The cache of link previews, below `/v3/parley/previews`.
enum PreviewEndpoints {
  /// `GET …/explain?url=`: looks a link up without the cache, and shows each step.
  static func explain(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let previews = try previews(of: call)
    guard let text = try call.query.string("url") else { throw .missing("url") }
    previews.explain(try link(text)) { explanation in
      completion { explanation.encode(into: &$0) }
    }
  }

  /// `POST …/fetch`: returns the preview of a link, from the cache or fetched.
  static func fetch(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let previews = try call.services.previewsForClients()
    let request = try PreviewFetch(try call.body)
    let link = try Link(requested: request.url)
    let timeout = request.timeout ?? call.services.settings.unfurl.timeoutMilliseconds
    @Sendable func answer(_ outcome: PreviewOutcome) {
      previews.countDemand(outcome)
      completion { outcome.encodeForPlatform(of: link, into: &$0) }
    }
    previews.recall(link, for: .operation) { outcome in
      if let outcome { return answer(outcome) }
      _ = previews.demand(
        link, for: .operation, within: .milliseconds(timeout), completion: answer)
    }
  }

  /// `GET …?url=|domain=&limit=&token=`: the entries of the cache, ordered by link.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let previews = try previews(of: call)
    let query = call.query
    let selection = try selection(in: query) ?? .all
    let limit = try query.pageSize()
    let pages = PageCursor<String>(of: [
      "previews", try query.string("url") ?? "", try query.string("domain") ?? "",
    ])
    var cursor: String?
    if let token = try query.pageToken() {
      guard let link = pages.position(in: token) else { throw .pageTokenExpired }
      cursor = link
    }
    previews.entries(selection, after: cursor, limit: limit) { page in
      guard let page else { return completion(.failure(.sharedPreviewsUnavailable)) }
      completion(.success(page.encoded(pages)))
    }
  }

  /// `DELETE …?url=|domain=|all=true`: removes entries from the cache.
  static func purge(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let previews = try previews(of: call)
    guard let selection = try selection(in: call.query) else {
      throw ServiceError(.missingParameter, "one of 'url', 'domain' and 'all=true' is required")
    }
    previews.purge(selection) { count in
      guard let count else { return completion(.failure(.sharedPreviewsUnavailable)) }
      completion { $0.object { $0.member("purged", count) } }
    }
  }

  private static func previews(of call: PlatformCall) throws(ServiceError) -> PreviewService {
    guard let previews = call.services.previews else {
      throw ServiceError(
        .combinationNotAcceptable, "previews are turned off: unfurl.mode is off")
    }
    return previews
  }

  private static func selection(in query: Fields) throws(ServiceError) -> PreviewSelection? {
    let (url, domain) = (try query.string("url"), try query.string("domain"))
    let isAll = try query.boolean("all") ?? false
    guard [url != nil, domain != nil, isAll].count(where: \.self) <= 1 else {
      throw ServiceError(
        .combinationNotAcceptable, "'url', 'domain' and 'all' exclude each other")
    }
    if let url { return .link(try link(url)) }
    if let domain { return .domain(try host(domain)) }
    return isAll ? .all : nil
  }

  private static func host(_ domain: String) throws(ServiceError) -> String {
    // Anything besides the name would be silently ignored, even the default port of the scheme.
    guard let url = WebURL("http://\(domain):1/"), url.text == "http://\(url.host.text):1/" else {
      throw .invalid("domain", domain, expected: "a domain such as example.com, or an address")
    }
    return url.host.text
  }

  /// A URL as given by an operator, or as it would be written in a message: `example.com/page`.
  private static func link(_ text: String) throws(ServiceError) -> Link {
    guard let link = Link(text) ?? LinkFinder.firstLink(in: text) else {
      throw .invalid("url", text, expected: "an http or https URL of at most 2,048 bytes")
    }
    return link
  }
}

extension ServiceError {
  fileprivate static var sharedPreviewsUnavailable: ServiceError {
    ServiceError(.internalError, "the storage fails: try again later")
  }
}

extension PreviewExplanation {
  /// Writes the explanation without absent values.
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("url", link.url)
      $0.previewOutcome(report.tag, report.problem)
      if let siteName = report.siteName { $0.member("site_name", siteName) }
      if let kind = report.problemKind { $0.member("kind", kind.rawValue) }
      $0.member("duration_us", Int64(duration / .microseconds(1)))
      if let cached {
        $0.name("cached")
        cached.encode(into: &$0)
      }
      $0.name("trace")
      report.trace.encode(into: &$0)
    }
  }
}

extension PreviewOutcome {
  /// Writes the answer with the reason of a failure, without absent values.
  fileprivate func encodeForPlatform(of link: Link, into writer: inout JSONWriter) {
    writer.object {
      $0.member("url", link.url)
      $0.previewOutcome(tag?.fitted(toBytes: Limits.previewByteCount), problem?.reason)
      if let kind = problem?.kind { $0.member("kind", kind.rawValue) }
      $0.member("site_name", siteName ?? "")
      $0.member("cached", isCached)
    }
  }
}

extension PreviewEntry {
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("url", link.url)
      $0.previewOutcome(tag, problem)
      if let problemKind { $0.member("kind", problemKind.rawValue) }
      if let siteName { $0.member("site_name", siteName) }
      $0.member("fetched_at", fetchedAt)
      $0.member("expires_at", expiresAt)
      $0.member("stale_until", staleUntil)
    }
  }
}

extension PreviewPage {
  /// Writes as many of the entries as fit in an answer, with the token of the next page.
  fileprivate func encoded(_ pages: PageCursor<String>) -> [UInt8] {
    var room = PageRoom.answer
    var page = ListPage<[UInt8]>(items: [], next: "")
    for entry in entries {
      let item = PageItem { entry.encode(into: &$0) }
      guard room.admit(byteCount: item.byteCount) else { break }
      page.items.append(item.value)
    }
    let end = page.items.count < entries.count ? entries[page.items.count - 1].link.url : next
    if let end { page.next = pages.token(after: end) }
    return page.encoded(as: "previews")
  }
}

extension JSONWriter {
  /// Writes the preview, or the reason why there is none.
  fileprivate mutating func previewOutcome(_ tag: OpenGraphTag?, _ problem: String?) {
    if let tag {
      name("og_tag")
      tag.encodeForPlatform(into: &self)
    }
    member("problem", problem ?? "")
  }
}
