package import ParleyProtocol

/// The outcome of looking a link up.
package struct PreviewOutcome: Sendable, Hashable {
  /// The preview; `nil` when there is a ``problem``, or the page offers none.
  package var tag: OpenGraphTag?
  /// The name that the page gives its site.
  package var siteName: String?
  /// The failure; `nil` for a page that was read.
  package var problem: PreviewProblem?
  /// Whether the outcome was known before.
  package var isCached: Bool

  package init(
    tag: OpenGraphTag? = nil, siteName: String? = nil, problem: PreviewProblem? = nil,
    isCached: Bool = false
  ) {
    self.tag = tag
    self.siteName = siteName
    self.problem = problem
    self.isCached = isCached
  }
}

/// The failure of a look-up.
package struct PreviewProblem: Sendable, Hashable {
  package var kind: UnfurlError.Kind
  /// The reason as text, for operators: it may say what lies at an address that is refused.
  package var reason: String

  package init(_ kind: UnfurlError.Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}

extension PreviewOutcome {
  /// Look-ups have ended, or the request was called off.
  package static let cancelled = failure(.cancelled, "the look-up was called off")

  static func failure(_ kind: UnfurlError.Kind, _ reason: String) -> PreviewOutcome {
    PreviewOutcome(problem: PreviewProblem(kind, reason))
  }

  /// The outcome in an entry of a cache or of another server.
  init(known entry: PreviewEntry) {
    self.init(
      tag: entry.tag, siteName: entry.siteName,
      problem: entry.problemKind.map { PreviewProblem($0, entry.problem ?? "") }, isCached: true)
  }

  /// The result of a fetch.
  ///
  /// - Parameter shown: The entry that is shown for the link from now on: after a failed refresh, the
  ///   one from before.
  init(_ report: UnfurlReport, shown: PreviewEntry?) {
    if report.tag == nil, let shown, shown.tag != nil {
      self.init(known: shown)
    } else {
      self.init(
        tag: report.tag, siteName: report.siteName,
        problem: report.problemKind.map { PreviewProblem($0, report.problem ?? "") })
    }
  }
}
