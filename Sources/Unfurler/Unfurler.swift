package import LinkPreview
package import ParleyProtocol

/// Fetches a page and says what it says of itself.
package protocol Unfurler: Sendable {
  /// Begins to fetch `link`.
  ///
  /// - Parameters:
  ///   - deadline: How long the answer may take in all, waiting and redirects included.
  ///   - completion: Called exactly once, on a thread of the unfurler's. `nil` is a page that
  ///     offers no preview. It must not block.
  /// - Returns: The fetch, for cancelling it.
  func unfurl(
    _ link: Link, deadline: Duration,
    completion: @escaping @Sendable (Result<OpenGraphTag?, UnfurlError>) -> Void
  ) -> UnfurlTask
}
