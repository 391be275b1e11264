import Configuration
import Transport

extension ForwardingRules {
  /// What the settings say of proxies; `nil` when no field is believed.
  init?(_ settings: ProxySettings) {
    let field: Field
    switch settings.field {
    case .none: return nil
    case .forwarded: field = .forwarded
    case .xForwardedFor: field = .xForwardedFor
    }
    self.init(field: field, trusted: settings.trusted.compactMap(AddressRange.init))
  }
}

extension AddressRange {
  /// The network that a setting means.
  init?(_ network: NetworkText) {
    self.init(host: network.address, prefixLength: network.prefixLength)
  }
}
