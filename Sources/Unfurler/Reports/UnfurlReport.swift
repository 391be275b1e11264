package import LinkPreview
package import ParleyProtocol

/// The result of a look-up.
package struct UnfurlReport: Sendable {
  /// The preview; `nil` for a page that has none.
  package var outcome: Result<OpenGraphTag?, UnfurlError>
  /// The page's name for its site, which is not part of the preview.
  package var siteName: String?
  /// The time for which the outcome may be cached.
  package var freshness: Freshness
  /// Whether a part is missing that may be available later: cached no longer than a failure.
  package var isIncomplete = false
  /// The trace of the look-up.
  package var trace: UnfurlTrace

  package init(
    _ outcome: Result<OpenGraphTag?, UnfurlError>, siteName: String? = nil,
    freshness: Freshness = .unspecified, trace: UnfurlTrace = UnfurlTrace()
  ) {
    self.outcome = outcome
    self.siteName = siteName
    self.freshness = freshness
    self.trace = trace
  }

  /// A cancelled look-up.
  package static let cancelled = UnfurlReport(.failure(.cancelled), freshness: .unkept)

  /// The preview, if there is one.
  package var tag: OpenGraphTag? { (try? outcome.get()) ?? nil }

  /// The kind of failure; `nil` without one, as for a page that offers no preview.
  ///
  /// A page for which its server returns an error is a failure, although its absence is cached.
  package var problemKind: UnfurlError.Kind? {
    switch outcome {
    case .failure(let error): error.kind
    case .success(.some): nil
    case .success(nil):
      (trace.requests.last { $0.purpose == .page }?.status ?? 0) >= 400 ? .failed : nil
    }
  }

  /// The reason why there is no preview, as text; `nil` if there is one.
  package var problem: String? {
    switch outcome {
    case .success(.some): nil
    case .success(nil): trace.emptiness ?? "the page offers no preview"
    // The end of the last request shows the step that timed out.
    case .failure(.timedOut): trace.requests.last?.ending ?? UnfurlError.timedOut.description
    case .failure(.failed(let reason)): reason
    case .failure(let error): error.description
    }
  }
}

/// The trace of a look-up, which explains its outcome.
package struct UnfurlTrace: Sendable, Hashable {
  /// The requests sent, in order; at most ``maximumRequests``.
  package var requests: [RequestTrace] = []
  /// The part of the page from which each member of the preview was taken.
  package var origins: [PreviewOrigin] = []
  /// The page's character set, and its source.
  package var characterSet: String?
  /// The reason why a page that was read has no preview.
  package var emptiness: String?

  /// More than the number of requests for redirects and one embedded description.
  package static let maximumRequests = 64

  package init() {}
}

/// One request to a server, with the durations of its parts.
///
/// Durations are microseconds, counted from the start of the request (or from joining the queue,
/// for `waiting`); a part that was not reached, or not needed on a reused connection, is 0.
package struct RequestTrace: Sendable, Hashable {
  /// The purpose of the request.
  package enum Purpose: String, Sendable, CaseIterable {
    case page
    /// The description of embedded content (oEmbed) that a page links to.
    case embed
    /// The picture named by the page.
    case picture
  }

  package var url: String
  package var purpose: Purpose
  /// The address of the connection: the proxy's if there is one.
  package var address: String?
  /// The HTTP status; `nil` if no response arrived.
  package var status: Int?
  package var contentType: String?
  /// The number of body bytes read, after decompression.
  package var byteCount: Int64 = 0
  /// The wait for a turn among the fetches of the host, and of all hosts.
  package var waiting: Int64 = 0
  package var nameLookup: Int64 = 0
  package var connect: Int64 = 0
  package var tlsHandshake: Int64 = 0
  package var firstByte: Int64 = 0
  package var total: Int64 = 0
  /// The end as text, such as "read to the end of the head" or "redirected".
  package var ending: String = ""
}

/// The reason why a page could not be fetched.
package enum UnfurlError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The caller cancelled the look-up, or the unfurler was shut down.
  case cancelled
  /// The fetch failed for a known reason, which the text describes.
  case failed(String)
  /// The deadline passed.
  case timedOut
  /// Anything else.
  case unknown

  /// The names of the errors on the wire.
  package enum Kind: String, Sendable, CaseIterable {
    case cancelled
    case failed
    case timedOut = "timed_out"
    case unknown
  }

  package var kind: Kind {
    switch self {
    case .cancelled: .cancelled
    case .failed: .failed
    case .timedOut: .timedOut
    case .unknown: .unknown
    }
  }

  /// A description of the error.
  package var description: String {
    switch self {
    case .cancelled: "cancelled"
    case .failed(let reason): "failed: \(reason)"
    case .timedOut: "timed out"
    case .unknown: "unknown error"
    }
  }
}
