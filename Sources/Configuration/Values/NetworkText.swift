/// A network as a setting gives it, in CIDR notation: `10.0.0.0/8`, `fd00::/8`, or one address.
package struct NetworkText: Sendable, Hashable, CustomStringConvertible {
  /// The address before the slash.
  package let address: String
  /// The bits that count; all of them when there was no slash.
  package let prefixLength: Int

  /// Reads a network; `nil` when it is none, or its length does not fit its address.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let family = IPAddressText.family(of: String(first)) else {
      return nil
    }
    address = String(first)
    guard parts.count == 2 else {
      prefixLength = family.bits
      return
    }
    guard let length = UInt16(decimal: parts[1]), length <= family.bits else { return nil }
    prefixLength = Int(length)
  }

  package var description: String { "\(address)/\(prefixLength)" }
}
