import DequeModule

/// Holds back what was read of a channel until the writes that it may contain have been answered.
///
/// Readers see a write as soon as it is committed. Its event is published when the log's answer reaches the
/// channel, which may be later than the result of a read.
struct ReadFence<Reading> {
  private var submitted = 0
  private var answered = 0
  private var isClosed = false
  /// In the order of their last writes.
  private var held: Deque<(lastWrite: Int, reading: Reading)> = []

  /// Whether all writes are answered.
  var isIdle: Bool { answered == submitted }

  /// Takes note that a write was submitted; each is answered once, and in this order.
  mutating func writeWasSubmitted() { submitted += 1 }

  /// Takes note of the answer to a write, after its event was published.
  mutating func writeWasAnswered() { answered += 1 }

  /// Holds a reading back, if there are writes that it may contain.
  ///
  /// - Returns: The reading, if it need not wait.
  mutating func admit(_ reading: Reading) -> Reading? {
    guard answered < submitted, !isClosed else { return reading }
    held.append((submitted, reading))
    return nil
  }

  /// The next reading that waits for no write.
  mutating func next() -> Reading? {
    guard let first = held.first, isClosed || first.lastWrite <= answered else { return nil }
    return held.removeFirst().reading
  }

  /// Ends all waiting: the answers to writes reach the channel no more.
  mutating func close() { isClosed = true }
}
