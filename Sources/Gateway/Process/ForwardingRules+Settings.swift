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
    self.init(field: field, trusted: settings.trusted)
  }
}
