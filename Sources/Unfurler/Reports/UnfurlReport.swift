package import LinkPreview
package import ParleyProtocol

/// The result of a look-up.
package struct UnfurlReport: Sendable {
  /// The preview; `nil` for a page that offers none.
  package var outcome: Result<OpenGraphTag?, UnfurlError>
  /// The name that the page gives its site, which is no part of the preview.
  package var siteName: String?
  /// The time for which the outcome may be kept.
  package var freshness: Freshness
  /// Whether a part is missing that may be there the next time: kept no longer than a failure.
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

  /// A look-up that was called off.
  package static let cancelled = UnfurlReport(.failure(.cancelled), freshness: .unkept)

  /// The preview, if there is one.
  package var tag: OpenGraphTag? { (try? outcome.get()) ?? nil }

  /// The kind of failure; `nil` without one, as for a page that offers no preview.
  ///
  /// A page that its server answers with an error is a failure, though its absence is remembered.
  package var problemKind: UnfurlError.Kind? {
    switch outcome {
    case .failure(let error): error.kind
    case .success(.some): nil
    case .success(nil):
      (trace.requests.last { $0.purpose == .page }?.status ?? 0) >= 400 ? .failed : nil
    }
  }

  /// The reason why there is no preview, as text; `nil` when there is one.
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
  /// Which part of the page each member of the preview came from.
  package var origins: [PreviewOrigin] = []
  /// The page's character set, and what named it.
  package var characterSet: String?
  /// The reason why a page that was read offers no preview.
  package var emptiness: String?

  /// More requests than redirects and one look for embedded content can make.
  package static let maximumRequests = 64

  package init() {}
}

/// One request to a server, and how long its parts took.
///
/// Durations are microseconds, counted from the request's beginning (or from joining the queue, for
/// `waiting`); a part that was not reached, or not needed on a kept connection, is 0.
package struct RequestTrace: Sendable, Hashable {
  /// The purpose of the request.
  package enum Purpose: String, Sendable, CaseIterable {
    case page
    /// The description of embedded content (oEmbed) that a page points to.
    case embed
    /// The picture that the page names.
    case picture
  }

  package var url: String
  package var purpose: Purpose
  /// The address that was connected to: the proxy's when there is one.
  package var address: String?
  /// The HTTP status; `nil` when no response came.
  package var status: Int?
  package var contentType: String?
  /// Bytes of the body that were read, after decompression.
  package var byteCount: Int64 = 0
  /// Waiting for a turn among the fetches of the host, and of all hosts.
  package var waiting: Int64 = 0
  package var nameLookup: Int64 = 0
  package var connect: Int64 = 0
  package var tlsHandshake: Int64 = 0
  package var firstByte: Int64 = 0
  package var total: Int64 = 0
  /// The end as text, such as "read to the end of the head" or "redirected".
  package var ending: String = ""

  package init(url: String, purpose: Purpose) {
    self.url = url
    self.purpose = purpose
  }
}

/// The reason why a page could not be fetched.
package enum UnfurlError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The caller lost interest, or the unfurler was shut down.
  case cancelled
  /// The fetch went wrong in a way that is understood; the text says how, for people.
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

  /// The error in words.
  package var description: String {
    switch self {
    case .cancelled: "cancelled"
    case .failed(let reason): "failed: \(reason)"
    case .timedOut: "timed out"
    case .unknown: "unknown error"
    }
  }
}
