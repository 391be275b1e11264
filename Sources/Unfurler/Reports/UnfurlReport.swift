package import ParleyProtocol

/// The result of a look-up.
package struct UnfurlReport: Sendable {
  /// The preview; `nil` for a page that offers none.
  package var outcome: Result<OpenGraphTag?, UnfurlError>
  /// How long the outcome may be kept.
  package var freshness: Freshness
  /// How it came about.
  package var trace: UnfurlTrace

  package init(
    _ outcome: Result<OpenGraphTag?, UnfurlError>, freshness: Freshness = .unspecified,
    trace: UnfurlTrace = UnfurlTrace()
  ) {
    self.outcome = outcome
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

  /// Why there is no preview, in words; `nil` when there is one.
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
