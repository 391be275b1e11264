package import LinkPreview

/// What came of looking a link up anew, beside what was remembered of it.
package struct PreviewExplanation: Sendable {
  package var link: Link
  /// What was remembered before.
  package var cached: PreviewEntry?
  /// How the look-up went.
  package var report: UnfurlReport
  /// How long it took, waiting included.
  package var duration: Duration

  package init(link: Link, cached: PreviewEntry?, report: UnfurlReport, duration: Duration) {
    self.link = link
    self.cached = cached
    self.report = report
    self.duration = duration
  }
}
