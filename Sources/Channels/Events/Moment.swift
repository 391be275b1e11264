/// A moment on the two clocks that the rules of a channel use.
package struct Moment: Sendable, Hashable {
  /// Unix milliseconds of the deployment's clock, for timestamps.
  package var unix: Int64
  /// Milliseconds of a clock that only advances, for pauses and deadlines.
  package var monotonic: Int64

  package init(unix: Int64, monotonic: Int64) {
    self.unix = unix
    self.monotonic = monotonic
  }
}
