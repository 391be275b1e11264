/// The ports that pages may be fetched from.
package struct PortPolicy: Sendable, Hashable {
  private let ranges: [ClosedRange<UInt16>]

  /// 80 and 443.
  package static let standard = PortPolicy(ranges: [80...80, 443...443])

  private init(ranges: [ClosedRange<UInt16>]) { self.ranges = ranges }

  /// A list of ports and ranges, such as `80,443,8000-8100`.
  ///
  /// - Throws: ``PolicyTextError/ports(_:)`` naming the entry that cannot be understood.
  package init(parsing text: String) throws(PolicyTextError) {
    var ranges: [ClosedRange<UInt16>] = []
    for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
      ranges.append(try Self.range(from: entry))
    }
    self.ranges = ranges
  }

  /// Whether a page may be fetched from this port.
  package func permits(_ port: UInt16) -> Bool { ranges.contains { $0.contains(port) } }

  private static func range(
    from entry: Substring
  ) throws(PolicyTextError) -> ClosedRange<UInt16> {
    let bounds = entry.split(separator: "-", omittingEmptySubsequences: false).map(port)
    guard let first = bounds.first, let low = first, bounds.count <= 2,
      let last = bounds.last, let high = last, low <= high
    else { throw .ports(String(entry)) }
    return low...high
  }

  private static func port(from text: Substring) -> UInt16? {
    let digits = text.utf8.trimmingASCIIWhitespace()
    guard digits.allSatisfy(\.isASCIIDigit), let port = UInt16(String(Substring(digits))), port > 0
    else { return nil }
    return port
  }
}
