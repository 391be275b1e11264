/// The usage of a sliding window at some time.
package struct WindowUsage: Sendable, Hashable {
  /// Admissions within the window that ends at that time.
  package var used: Int
  /// Milliseconds until the next event would be admitted; `nil` when it would be at once.
  package var wait: Int64?

  package init(used: Int = 0, wait: Int64? = nil) {
    self.used = used
    self.wait = wait
  }
}
