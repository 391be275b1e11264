/// The offsets of a time zone from UTC at all times, as in a TZif file (RFC 8536).
package struct TimeZoneRules: Sendable, Hashable {
  /// Times from which an offset holds until the next one, in Unix seconds, ascending.
  private let transitions: [Int64]
  /// The offset from each transition on, in seconds east of UTC.
  private let offsets: [Int32]
  /// The offset before the first transition.
  private let firstOffset: Int32
  /// The rule after the last transition, if there is one.
  private let rule: TimeZoneRule?

  init(transitions: [Int64], offsets: [Int32], firstOffset: Int32, rule: TimeZoneRule?) {
    self.transitions = transitions
    self.offsets = offsets
    self.firstOffset = firstOffset
    self.rule = rule
  }

  /// Coordinated universal time.
  package static let utc = TimeZoneRules(
    transitions: [], offsets: [], firstOffset: 0, rule: nil)

  /// The seconds to add to UTC for local time.
  ///
  /// - Complexity: O(log *n*) in the number of transitions.
  package func offset(at unixSeconds: Int64) -> Int {
    guard let last = transitions.last else {
      return rule?.offset(at: unixSeconds) ?? Int(firstOffset)
    }
    if let rule, unixSeconds >= last { return rule.offset(at: unixSeconds) }
    var (low, high) = (0, transitions.count)
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle] <= unixSeconds { low = middle + 1 } else { high = middle }
    }
    return Int(low == 0 ? firstOffset : offsets[low - 1])
  }
}
