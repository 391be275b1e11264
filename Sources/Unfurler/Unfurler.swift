package import LinkPreview

/// Finds out what a page says of itself.
package protocol Unfurler: Sendable {
  /// Begins to look `link` up.
  ///
  /// - Parameters:
  ///   - requester: The party whose turn and share of the places are used.
  ///   - deadline: How long the answer may take in all, waiting and redirects included.
  ///   - completion: Called exactly once, on a thread of the unfurler's, or on the caller's when the
  ///     answer is known at once. It must not block.
  /// - Returns: The fetch, for cancelling it.
  func unfurl(
    _ link: Link, for requester: PreviewRequester, deadline: Duration,
    completion: @escaping @Sendable (UnfurlReport) -> Void
  ) -> UnfurlTask

  /// Cancels all look-ups and waits for their end; later ones are cancelled at once.
  func shutdown()

  /// Whether the service that is asked answers; `nil` if there is none.
  var isServiceUp: Bool? { get }
}

extension Unfurler {
  package var isServiceUp: Bool? { nil }
}

/// A fetch under way.
package struct UnfurlTask: Sendable {
  private let onCancel: @Sendable () -> Void

  /// - Parameter onCancel: Asks for the end of the fetch; may be called from any thread, also
  ///   more than once and after the end.
  package init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

  /// Ends the fetch: its completion is called with ``UnfurlError/cancelled``, unless it has been
  /// called already.
  package func cancel() { onCancel() }
}
