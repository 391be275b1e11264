import Synchronization

/// Counts answers of several threads, and calls back with the last.
final class MissingAnswers: Sendable {
  private let count: Atomic<Int>
  private let whenComplete: @Sendable () -> Void

  init(_ count: Int, then whenComplete: @escaping @Sendable () -> Void) {
    self.count = Atomic(count)
    self.whenComplete = whenComplete
  }

  func oneCame() {
    let (_, left) = count.subtract(1, ordering: .acquiringAndReleasing)
    if left == 0 { whenComplete() }
  }
}
