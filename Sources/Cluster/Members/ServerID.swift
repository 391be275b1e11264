/// A server of the cluster from its start to its end: 64 random bits, drawn anew by each start.
///
/// A process that is started again is another server, so nothing that was meant for the old one
/// reaches it.
package struct ServerID: Sendable, Hashable, Comparable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Parses 16 lower-case hexadecimal digits, or returns `nil`.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == 16,
      text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
      let value = UInt64(text, radix: 16)
    else { return nil }
    self.init(rawValue: value)
  }

  package static func < (left: ServerID, right: ServerID) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension ServerID: CustomStringConvertible {
  /// 16 lower-case hexadecimal digits.
  package var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
