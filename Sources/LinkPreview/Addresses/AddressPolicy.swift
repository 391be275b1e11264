package import Bytes

/// Decides which addresses may be dialled to fetch a page.
///
/// Everything outside the public internet is refused, in whatever notation it comes, unless the
/// operator allowed its network. An IPv6 address that only wraps an IPv4 address is judged by the
/// address inside, since that is where the packets end up.
package struct AddressPolicy: Sendable, Hashable {
  private let allowed: [Network]

  /// - Parameter allowing: Networks outside the public internet that may be dialled all the same.
  package init(allowing allowed: [Network] = []) { self.allowed = allowed }

  /// Whether a connection to this address may be opened.
  package func permits(_ address: IPAddress) -> Bool {
    if allowed.contains(where: { $0.contains(address) }) { return true }
    switch address {
    case .v4: return !SpecialNetworks.v4.contains { $0.contains(address) }
    case .v6(let bits): return permitsV6(address, bits)
    }
  }

  private func permitsV6(_ address: IPAddress, _ bits: UInt128) -> Bool {
    switch WrappedIPv4(bits) {
    case .wraps(let inner): return inner.allSatisfy { permits(.v4($0)) }
    case .malformed: return false
    case .none: break
    }
    return SpecialNetworks.globalUnicast.contains(address)
      && !SpecialNetworks.v6.contains { $0.contains(address) }
  }
}
