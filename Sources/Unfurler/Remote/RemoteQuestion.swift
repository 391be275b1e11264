import LinkPreview

/// A link that somebody waits for the service's word on.
struct RemoteQuestion: Sendable {
  /// Unique in its unfurler.
  let id: UInt64
  let link: Link
  let deadline: ContinuousClock.Instant
  let completion: @Sendable (UnfurlReport) -> Void
}
