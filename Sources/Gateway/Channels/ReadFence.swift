import DequeModule

/// Holds back the results of reading a channel until the writes that they may contain are answered.
///
/// Readers see a write as soon as it is committed. Its event is published when the log's answer reaches the
/// channel, which may be later than the result of a read.
struct ReadFence<Reading> {
  private var submitted = 0
  private var answered = 0
  private var isClosed = false
  /// The readings held back, in the order of their last writes.
  private var held: Deque<(lastWrite: Int, reading: Reading)> = []

  /// Whether all writes are answered.
  var isIdle: Bool { answered == submitted }

  /// Notes that a write was submitted; each write is answered once, in the order of submission.
  mutating func writeWasSubmitted() { submitted += 1 }

  /// Notes the answer to a write, after its event was published.
  mutating func writeWasAnswered() { answered += 1 }

  /// Holds back a reading if it may contain unanswered writes.
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

  /// Ends all waiting: answers to writes no longer reach the channel.
  mutating func close() { isClosed = true }
}
