/// A server of the cluster from its start to its end: 64 random bits, generated at each start.
///
/// A restarted process is another server, so no message for the old process reaches the new one.
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
