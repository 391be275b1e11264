package import ParleyProtocol

/// The outcome of looking up a link.
package struct PreviewOutcome: Sendable, Hashable {
  /// The preview; `nil` if there is a ``problem``, or the page has none.
  package var tag: OpenGraphTag?
  /// The page's name for its site.
  package var siteName: String?
  /// The failure; `nil` for a page that was read.
  package var problem: PreviewProblem?
  /// Whether the outcome was cached.
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
  /// The reason as text, for operators: it may reveal facts about a refused address.
  package var reason: String

  package init(_ kind: UnfurlError.Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}

extension PreviewOutcome {
  /// Look-ups have ended, or the request was cancelled.
  package static let cancelled = failure(.cancelled, "the look-up was called off")

  static func failure(_ kind: UnfurlError.Kind, _ reason: String) -> PreviewOutcome {
    PreviewOutcome(problem: PreviewProblem(kind, reason))
  }

  /// Converts an entry of a cache or of another server.
  init(known entry: PreviewEntry) {
    self.init(
      tag: entry.tag, siteName: entry.siteName,
      problem: entry.problemKind.map { PreviewProblem($0, entry.problem ?? "") }, isCached: true)
  }

  /// The result of a fetch.
  ///
  /// - Parameter shown: The entry to show for the link from now on: after a failed refresh, the
  ///   previous one.
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
