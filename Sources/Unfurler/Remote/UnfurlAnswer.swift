import LinkPreview
import ParleyProtocol

/// The answer of a preview service: status, two header fields, and body.
///
///     200 {"og_tag": {…} | null, "site_name": "…", "trace": {…}}
///     4xx, 5xx {"error": "cancelled" | "failed" | "timed_out" | "unknown", "message": "…", "trace": {…}}
///
/// `Cache-Control` says how long the answer may be kept (`max-age`, or `no-store` for not at all);
/// it, `site_name` and `trace` may be missing.
package struct UnfurlAnswer: Sendable, Hashable {
  /// The HTTP status.
  package let status: Int
  /// The value of the field `Cache-Control`.
  package let cacheControl: String?
  /// JSON.
  package let body: [UInt8]

  /// The longest body that is written or read, in bytes.
  package static let maximumBytes = 262_144

  /// An answer as it came.
  package init(status: Int, cacheControl: String?, body: [UInt8]) {
    self.status = status
    self.cacheControl = cacheControl
    self.body = body
  }

  /// Creates the answer for the result of a look-up.
  package init(_ report: UnfurlReport) {
    status = Self.status(for: report.outcome)
    cacheControl = report.freshness.cacheControl
    let body = Self.json(report, report.trace)
    // A page that makes its trace long must not cost its answer, nor make the service look broken.
    self.body =
      body.count <= Self.maximumBytes ? body : Self.json(report, UnfurlTrace())
  }

  /// Refuses a request for what it says or when it comes, not for its page.
  package init(refusing reason: String, status: Int) {
    self.init(.failed(reason), status: status)
  }

  /// The answer to look-ups while the service ends.
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
  /// Enough for the longest trace, and far from what would cost much to read.
  private static let limits = JSONLimits(byteCount: maximumBytes, depth: 16, nodeCount: 8_000)

  /// Parses the answer and cleans its texts.
  ///
  /// - Throws: ``UnfurlAnswerError`` when this is no answer of the protocol's.
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
    // A cancelled look-up says nothing about the page.
    case .failure(.cancelled): .unkept
    case .failure: Freshness(serviceCacheControl: cacheControl, isFailure: true)
    case .success: Freshness(serviceCacheControl: cacheControl, isFailure: false)
    }
  }
}

/// An answer that is none of the protocol's, and why, in words.
package struct UnfurlAnswerError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

extension Freshness {
  /// The value of `Cache-Control` that a service's answer carries; `nil` for no such field.
  var cacheControl: String? {
    switch self {
    case .unspecified: nil
    case .seconds(let seconds): "max-age=\(max(0, seconds))"
    case .unkept: "no-store"
    }
  }
}

extension Freshness {
  /// Reads the `Cache-Control` field of a service's answer.
  ///
  /// A failure that is not to be kept does not describe its page; of a preview it says that it
  /// may be another one the next time.
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
  /// The preview under the rules that hold for a page's own values: text folded and bounded, http
  /// and https addresses only; `nil` when nothing is left to show.
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
