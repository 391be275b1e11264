internal import Synchronization

/// Names for sendings that no other client and no other run of this one will use.
final class RequestIDs: Sendable {
  private let run = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
  private let count = Atomic<UInt64>(0)

  /// A name of at most 41 characters.
  func next() -> String {
    "\(run)-\(count.add(1, ordering: .relaxed).newValue)"
  }
}
