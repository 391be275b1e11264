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
