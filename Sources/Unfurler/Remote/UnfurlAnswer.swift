import Basics
import LinkPreview
import ParleyProtocol

/// The response of a preview service: status, two header fields, and body.
///
///     200 {"og_tag": {…} | null, "site_name": "…", "trace": {…}}
///     4xx, 5xx {"error": "cancelled" | "failed" | "timed_out" | "unknown", "message": "…", "trace": {…}}
///
/// `Cache-Control` is the lifetime of the answer (`max-age`, or `no-store` for none). It,
/// `site_name` and `trace` may be missing.
package struct UnfurlAnswer: Sendable, Hashable {
  /// The HTTP status.
  package let status: Int
  /// The value of the `Cache-Control` field.
  package let cacheControl: String?
  /// The body as JSON.
  package let body: [UInt8]

  /// The maximum body size to write or read, in bytes.
  package static let maximumBytes = 262_144

  /// Creates a received response.
  package init(status: Int, cacheControl: String?, body: [UInt8]) {
    self.status = status
    self.cacheControl = cacheControl
    self.body = body
  }

  /// Creates the response for the result of a look-up.
  package init(_ report: UnfurlReport) {
    status = Self.status(for: report.outcome)
    cacheControl = report.freshness.cacheControl
    let body = Self.json(report, report.trace)
    // A page that causes a long trace must not prevent its answer, or make the service appear broken.
    self.body =
      body.count <= Self.maximumBytes ? body : Self.json(report, UnfurlTrace())
  }

  /// Rejects a request for its content or its timing, not for its page.
  package init(refusing reason: String, status: Int) {
    self.init(.failed(reason), status: status)
  }

  /// The response to look-ups during shutdown.
  package static let shuttingDown = UnfurlAnswer(.cancelled, status: 503)

  private init(_ error: UnfurlError, status: Int) {
    self.status = status
    cacheControl = Freshness.unkept.cacheControl
    body = JSONWriter.bytes { $0.object { error.encode(into: &$0) } }
  }

  private static func json(_ report: UnfurlReport, _ trace: UnfurlTrace) -> [UInt8] {
    JSONWriter.bytes { writer in
      writer.object {
        switch report.outcome {
        case .success(let tag):
          encode(tag, into: &$0)
          if let siteName = report.siteName { $0.member("site_name", siteName) }
        case .failure(let error): error.encode(into: &$0)
        }
        if trace != UnfurlTrace() {
          $0.name("trace")
          trace.encode(into: &$0)
        }
      }
    }
  }

  private static func encode(_ tag: OpenGraphTag?, into writer: inout JSONWriter) {
    writer.name("og_tag")
    if let tag { tag.encode(into: &writer) } else { writer.null() }
  }

  private static func status(for outcome: Result<OpenGraphTag?, UnfurlError>) -> Int {
    switch outcome {
    case .success: 200
    case .failure(.cancelled): 503
    case .failure(.failed): 502
    case .failure(.timedOut): 504
    case .failure(.unknown): 500
    }
  }
}

extension UnfurlAnswer {
  /// Enough for the longest trace, and cheap to parse.
  private static let limits = JSONLimits(byteCount: maximumBytes, depth: 16, nodeCount: 8_000)

  /// Parses the response and cleans its texts.
  ///
  /// - Throws: ``UnfurlAnswerError`` for a response that violates the protocol.
  package func report() throws(UnfurlAnswerError) -> UnfurlReport {
    guard status == 200 || (400...599).contains(status) else {
      throw .init("it answered with status \(status)")
    }
    let root = try object()
    let outcome = try outcome(root)
    let trace = root.present("trace").map(UnfurlTrace.init(json:))
    var report = UnfurlReport(
      outcome, freshness: freshness(of: outcome), trace: trace ?? UnfurlTrace())
    if report.tag != nil {
      report.siteName = root.present("site_name")?.string.cleaned(limit: PreviewLimits.title)
    }
    return report
  }

  private func object() throws(UnfurlAnswerError) -> JSONNode {
    do throws(JSONError) {
      let root = try JSONDocument(body, limits: Self.limits).root
      if root.kind == .object { return root }
    } catch {
      throw .init("its answer with status \(status) is not JSON: \(error)")
    }
    throw .init("its answer with status \(status) is not a JSON object")
  }

  private func outcome(
    _ root: JSONNode
  ) throws(UnfurlAnswerError) -> Result<OpenGraphTag?, UnfurlError> {
    guard status == 200 else {
      guard let error = UnfurlError(json: root) else {
        throw .init("its answer with status \(status) has no member error of the protocol's")
      }
      return .failure(error)
    }
    switch root["og_tag"] {
    case let tag? where tag.isNull: return .success(nil)
    case let tag? where tag.kind == .object:
      return .success(OpenGraphTag(json: tag)?.cleaned)
    default: throw .init("its answer has no member og_tag that is an object or null")
    }
  }

  private func freshness(of outcome: Result<OpenGraphTag?, UnfurlError>) -> Freshness {
    switch outcome {
    // A cancelled look-up is unrelated to the page.
    case .failure(.cancelled): .unkept
    case .failure: Freshness(serviceCacheControl: cacheControl, isFailure: true)
    case .success: Freshness(serviceCacheControl: cacheControl, isFailure: false)
    }
  }
}

/// A response that violates the protocol, with the reason as text.
package struct UnfurlAnswerError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

extension Freshness {
  /// The value of `Cache-Control` in a service's response; `nil` for no field.
  var cacheControl: String? {
    switch self {
    case .unspecified: nil
    case .seconds(let seconds): "max-age=\(max(0, seconds))"
    case .unkept: "no-store"
    }
  }
}

extension Freshness {
  /// Parses the `Cache-Control` field of a service's response.
  ///
  /// A failure that must not be cached is unrelated to its page; a preview that must not be cached
  /// may differ the next time.
  init(serviceCacheControl field: String?, isFailure: Bool) {
    let control = CacheControl(field.map { [$0] } ?? [])
    if control.forbidsReuse {
      self = isFailure ? .unkept : .seconds(0)
    } else {
      self = control.lifetime.map { .seconds($0) } ?? .unspecified
    }
  }
}

extension OpenGraphTag {
  /// The preview under the rules for a page's own values: text folded and bounded, only http and
  /// https addresses; `nil` if nothing is left.
  var cleaned: OpenGraphTag? {
    let tag = OpenGraphTag(
      title: title.cleaned(limit: PreviewLimits.title), url: url.webAddress,
      description: description.cleaned(limit: PreviewLimits.description),
      image: image?.cleaned)
    return tag.title == nil && tag.description == nil && tag.image == nil ? nil : tag
  }
}

extension OpenGraphImage {
  /// The picture under the same rules; `nil` without an address.
  fileprivate var cleaned: OpenGraphImage? {
    guard let address = url.webAddress ?? secureURL.webAddress else { return nil }
    return OpenGraphImage(
      url: address, secureURL: secureURL.webAddress,
      type: type.cleaned(limit: PreviewLimits.mediaType), width: max(0, width),
      height: max(0, height), alt: alt.cleaned(limit: PreviewLimits.title))
  }
}

extension String? {
  fileprivate func cleaned(limit: Int) -> String? {
    flatMap { PreviewText.clean($0, limit: limit) }
  }

  fileprivate var webAddress: String? { flatMap { WebURL($0)?.text } }
}
