import LinkPreview

/// A link that somebody waits for the service's word on.
struct RemoteQuestion: TurnRequest, Sendable {
  /// Unique in its unfurler.
  let id: UInt64
  let link: Link
  let requester: PreviewRequester
  /// Questions about one site share its places.
  let siteKey: String
  let deadline: ContinuousClock.Instant
  let completion: @Sendable (UnfurlReport) -> Void
}
