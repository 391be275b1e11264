/// A process that runs until a signal stops it.
package protocol Daemon: Sendable {
  /// Reads the files again that may change while it runs.
  func reload()

  /// Begins to end: takes nothing new, finishes what it has.
  func drain()

  /// Ends without waiting for others, after ``drain()``.
  func hurry()

  /// Calls `answer`, from any thread, once every event loop has taken a turn since.
  ///
  /// It is never called when one of them is stuck, or has ended.
  func takePulse(_ answer: @escaping @Sendable () -> Void)

  /// Waits until it has ended.
  func waitUntilStopped()
}
