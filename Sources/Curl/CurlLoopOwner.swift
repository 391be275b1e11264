package import CCurl

/// Decides what a ``CurlLoop`` transfers; called on the loop's thread only.
package protocol CurlLoopOwner: AnyObject, SendableMetatype {
  /// A request from another thread.
  associatedtype Request: Sendable
  associatedtype Transfer: CurlTransfer

  func receive(_ request: Request)

  /// Adds the transfers whose turn has come; called after requests have come or transfers ended.
  ///
  /// - Returns: When to be called again at the latest; `nil` when only something new matters.
  func startTransfers() -> ContinuousClock.Instant?

  /// A transfer has ended by itself and is no longer in the loop.
  func didEnd(_ transfer: Transfer, _ result: CURLcode)

  /// The loop ends: removes its transfers and answers all requests.
  func stop()
}
