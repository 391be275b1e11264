package import LinkPreview

/// Reads the metadata that a page provides about itself.
package protocol Unfurler: Sendable {
  /// Starts to look up `link`.
  ///
  /// - Parameters:
  ///   - requester: The party in whose turn and share of places the fetch runs.
  ///   - deadline: The total time limit of the answer, including waiting and redirects.
  ///   - completion: Called exactly once, on a thread of the unfurler, or on the caller's if the
  ///     answer is known at once. It must not block.
  /// - Returns: The fetch, for cancelling it.
  func unfurl(
    _ link: Link, for requester: PreviewRequester, deadline: Duration,
    completion: @escaping @Sendable (UnfurlReport) -> Void
  ) -> UnfurlTask

  /// Cancels all look-ups and waits for their end; later ones are cancelled immediately.
  func shutdown()

  /// Whether the preview service responds; `nil` if there is none.
  var isServiceUp: Bool? { get }
}

extension Unfurler {
  package var isServiceUp: Bool? { nil }
}

/// A fetch in progress.
package struct UnfurlTask: Sendable {
  private let onCancel: @Sendable () -> Void

  /// - Parameter onCancel: Requests the end of the fetch; may be called from any thread,
  ///   repeatedly, and after the end.
  package init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

  /// Cancels the fetch: its completion is called with ``UnfurlError/cancelled``, unless it was
  /// already called.
  package func cancel() { onCancel() }
}
