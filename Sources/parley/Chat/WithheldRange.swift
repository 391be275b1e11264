internal import ParleyClient

/// Which messages were withheld since they were last looked at.
actor WithheldRange {
  private var range: ClosedRange<Int64>?

  /// Takes note of some.
  func add(_ messages: ThrottledMessages) {
    let first = min(messages.firstMessageID, range?.lowerBound ?? .max)
    let last = max(messages.lastMessageID, range?.upperBound ?? .min)
    if first <= last { range = first...last }
  }

  /// The numbers of the first and the last; then there are none.
  func take() -> ClosedRange<Int64>? {
    defer { range = nil }
    return range
  }
}
