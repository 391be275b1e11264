import LinkPreview

/// A link that somebody waits for the service's word on.
struct RemoteQuestion: HostRequest, Sendable {
  /// Unique in its unfurler.
  let id: UInt64
  let link: Link
  /// Questions about one host share its turns.
  let hostKey: String
  let deadline: ContinuousClock.Instant
  let completion: @Sendable (UnfurlReport) -> Void
}
