import ParleyProtocol

/// The answer of a preview service: status, two header fields, and body.
///
///     200 {"og_tag": {…} | null, "trace": {…}}
///     4xx, 5xx {"error": "cancelled" | "failed" | "timed_out" | "unknown", "message": "…", "trace": {…}}
///
/// `Cache-Control` says how long the answer may be kept (`max-age`, or `no-store` for not at all);
/// it and `trace` may be missing.
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

  /// Tells what came of a look-up.
  package init(_ report: UnfurlReport) {
    status = Self.status(for: report.outcome)
    cacheControl = report.freshness.cacheControl
    let body = Self.json(report.outcome, report.trace)
    // A page that makes its trace long must not cost its answer, nor make the service look broken.
    self.body =
      body.count <= Self.maximumBytes ? body : Self.json(report.outcome, UnfurlTrace())
  }

  /// Refuses a request for what it says or when it comes, not for its page.
  package init(refusing reason: String, status: Int) {
    self.init(.failed(reason), status: status)
  }

  /// Tells that a look-up will not be done because the service ends.
  package static let shuttingDown = UnfurlAnswer(.cancelled, status: 503)

  private init(_ error: UnfurlError, status: Int) {
    self.status = status
    cacheControl = Freshness.unkept.cacheControl
    body = JSONWriter.bytes { $0.object { error.encode(into: &$0) } }
  }

  private static func json(
    _ outcome: Result<OpenGraphTag?, UnfurlError>, _ trace: UnfurlTrace
  ) -> [UInt8] {
    JSONWriter.bytes { writer in
      writer.object {
        switch outcome {
        case .success(let tag): encode(tag, into: &$0)
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
