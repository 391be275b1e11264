package import Basics

/// Decides which addresses may be dialled to fetch a page.
///
/// Everything outside the public internet is refused, in whatever notation it comes, unless the
/// operator allowed its network, and so are the machine's own addresses. An IPv6 address that only wraps an IPv4 address is judged by the
/// address inside, since that is where the packets end up.
package struct AddressPolicy: Sendable, Hashable {
  private let allowed: [Network]
  /// The addresses of the machine's interfaces: services that listen on them expect clients, and
  /// none expects the machine itself.
  package var ownAddresses: Set<IPAddress> = []

  /// - Parameter allowing: Networks that may be dialled although they are outside the public
  ///   internet, or the machine's own.
  package init(allowing allowed: [Network] = []) { self.allowed = allowed }

  /// Whether a connection to this address may be opened.
  package func permits(_ address: IPAddress) -> Bool { refusal(of: address) == nil }

  /// Why no connection to this address may be opened; `nil` when one may.
  package func refusal(of address: IPAddress) -> AddressRefusal? {
    reason(against: address).map { AddressRefusal(address: address, reason: $0) }
  }

  private func reason(against address: IPAddress) -> AddressRefusal.Reason? {
    if allowed.contains(where: { $0.contains(address) }) { return nil }
    let isPublic: Bool
    switch address {
    case .v4: isPublic = !SpecialNetworks.v4.contains { $0.contains(address) }
    case .v6(let bits):
      switch WrappedIPv4(bits) {
      case .wraps(let inner):
        if let reason = inner.lazy.compactMap({ self.reason(against: .v4($0)) }).first {
          return reason
        }
        isPublic = true
      case .malformed: isPublic = false
      case .none:
        isPublic =
          SpecialNetworks.globalUnicast.contains(address)
          && !SpecialNetworks.v6.contains { $0.contains(address) }
      }
    }
    guard isPublic else { return .notPublic }
    return ownAddresses.contains(address) ? .ownAddress : nil
  }
}
