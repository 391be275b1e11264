import Basics

extension WebURL {
  /// Names the party that serves the URL, as far as names and addresses can tell: the registrable
  /// domain, so that a wildcard of names is one site; an IPv4 address; the /64 of an IPv6 address.
  package var siteKey: String { host.siteKey }
}

extension Host {
  /// As ``WebURL/siteKey``.
  package var siteKey: String {
    switch self {
    case .name(let name): DomainName.registrable(name) ?? name
    case .address(.v4): text
    case .address(.v6(let bits)): "[\(IPAddress.v6((bits >> 64) << 64))]/64"
    }
  }
}
