/// The unit by which connections are counted: an IPv4 address, or the /64 of an IPv6 address, which
/// one subscriber usually has to itself.
package struct AddressKey: Sendable, Hashable {
  private let high: UInt64
  private let low: UInt64

  /// - Returns: `nil` for a loopback address, which is not counted.
  package init?(_ address: PeerAddress) {
    guard !address.isLoopback else { return nil }
    high = address.high
    low = address.isV4 ? address.low : 0
  }
}
