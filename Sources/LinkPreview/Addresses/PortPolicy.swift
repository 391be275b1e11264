internal import Basics

/// The ports that pages may be fetched from.
package struct PortPolicy: Sendable, Hashable {
  private let ranges: [ClosedRange<UInt16>]

  /// 80 and 443.
  package static let standard = PortPolicy([80...80, 443...443])

  package init(_ ranges: [ClosedRange<UInt16>]) { self.ranges = ranges }

  /// Whether a page may be fetched from this port.
  package func permits(_ port: UInt16) -> Bool { ranges.contains { $0.contains(port) } }

  /// Reads one port, such as `443`, or a range, such as `8000-8099`; `nil` for anything else, and
  /// for port 0.
  package static func range(_ text: String) -> ClosedRange<UInt16>? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count <= 2, let first = ends.first.flatMap({ UInt16(decimal: $0) }),
      let last = ends.last.flatMap({ UInt16(decimal: $0) }), first >= 1, first <= last
    else { return nil }
    return first...last
  }

  /// Writes a range as it is read.
  package static func text(_ range: ClosedRange<UInt16>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
  }
}
