internal import Bytes

/// Ports as a setting gives them: `443` or `8000-8099`.
enum PortRangeText {
  /// Reads one port or a range; `nil` when it is neither, or names port 0.
  static func read(_ text: String) -> ClosedRange<UInt16>? {
    let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = ends.first.flatMap({ UInt16(decimal: $0) }),
      let last = ends.last.flatMap({ UInt16(decimal: $0) }),
      first >= 1, first <= last
    else { return nil }
    return first...last
  }

  static func write(_ range: ClosedRange<UInt16>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
  }
}
