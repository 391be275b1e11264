import LinkPreview

/// A link that somebody waits for, at the page where its redirects have led so far.
struct Fetch: Sendable {
  typealias Completion = @Sendable (UnfurlReport) -> Void

  /// Unique in its unfurler.
  let id: UInt64
  var url: WebURL
  var redirects = 0
  let deadline: ContinuousClock.Instant
  let completion: Completion

  /// Fetches of one host share its turns.
  var hostKey: String { url.host.text }
}
